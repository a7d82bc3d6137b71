import t from "tap";
import { StallWatch } from "../../../loadtest/support/stall-watch.js";

t.test("a stall is told when nothing was done for the limit, and not before", async (t) => {
  let done = 0;
  let looks = 0;
  await new Promise<void>((resolve) => {
    const watch = new StallWatch({
      limitMs: 400,
      done: () => done,
      onLook: () => {
        looks++;
        if (looks < 4) done++;
      },
      onStall: () => {
        watch.stop();
        resolve();
      },
    });
  });
  t.ok(looks >= 5, "the work of the first looks counted as progress");
});
