// Writes what is generated from the schema of the configuration: windhover.example.toml, and the tables of settings in the
// README. npm run config:example; a test fails when they are not as the schema has them.
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { exampleFile } from "../dist/config/example.js";
import { withSettingsTable } from "../dist/config/settings-table.js";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
writeFileSync("windhover.example.toml", exampleFile());
writeFileSync("README.md", withSettingsTable(readFileSync("README.md", "utf8")));
