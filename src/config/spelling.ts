/** Farther than this a word is another word. */
const MAX_DISTANCE = 3;

/** The word of `known` that somebody who wrote `written` most likely meant, if there is one. */
export function nearest(written: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.min(MAX_DISTANCE, Math.floor(written.length / 2)) + 1;
  for (const word of known) {
    const distance = editDistance(plain(written), plain(word));
    if (distance >= bestDistance) continue;
    best = word;
    bestDistance = distance;
  }
  return best;
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll("-", "_");
}

/** How many letters must be added, left out or replaced to make `b` of `a`. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
