/** A name that stands for several queues: what is put goes to all of them, and there is never anything to get. */
export class Alias {
  /** Items and bytes put through it since the start. */
  putItems = 0;
  putBytes = 0;

  constructor(
    readonly name: string,
    readonly destinations: readonly string[],
  ) {}
}
