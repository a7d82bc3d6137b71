const HIGH = 2 ** 32;

/** Writes a whole number below 2^53 as 8 bytes, big-endian, so that keys sort as their numbers do. */
export function writeUint64(target: Buffer, value: number, offset: number): number {
  target.writeUInt32BE(Math.floor(value / HIGH), offset);
  return target.writeUInt32BE(value % HIGH, offset + 4);
}

/** Reads what `writeUint64` wrote. */
export function readUint64(source: Buffer, offset: number): number {
  return source.readUInt32BE(offset) * HIGH + source.readUInt32BE(offset + 4);
}
