// Biome formats and lints; ESLint is here only for what needs types: promises that nobody waits for, and switches that
// forget a member of their union.
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  {
    files: ["src/**/*.ts", "test/**/*.ts", "loadtest/**/*.ts"],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { project: "./tsconfig.test.json", tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: { "@typescript-eslint": tseslint.plugin },
    rules: {
      "@typescript-eslint/await-thenable": "error",
      "@typescript-eslint/no-floating-promises": [
        "error",
        {
          checkThenables: true,
          // tap waits for its subtests itself.
          allowForKnownSafePromises: [{ from: "package", package: "@tapjs/core", name: "PromiseWithSubtest" }],
        },
      ],
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
    },
  },
  {
    // These drive queues step by step: what a move promises is looked at only where the step is about it.
    files: ["test/{cases,helpers,journal,queue}/**/*.ts"],
    rules: {
      "@typescript-eslint/no-floating-promises": "off",
      // A list of put results holds promises and verdicts.
      "@typescript-eslint/await-thenable": "off",
    },
  },
);
