/** The whole number that was typed for an option, or undefined without one. Throws an Error with a message for the user. */
export function whole(name: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Error(`${name} takes a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
}
