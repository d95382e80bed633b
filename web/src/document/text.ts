import type { Schemas } from '../api/client'

/** Text is a document as it was read, in UTF-8: its own bytes, or, of a format that is no text, its chunks at their places. */
export interface Text {
  bytes: Uint8Array
  from: 'document' | 'chunks' | 'nothing'
}

const encoder = new TextEncoder()
const space = 0x20
const lineBreak = 0x0a

/** textOf returns the text in which the quotes of a document have their places. Those of an HTML page, for instance, are places of what was read of it, and not of its markup. */
export function textOf(content: Schemas['DocumentContent']): Text {
  const own = content.content
  const chunks = (content.chunks ?? []).map((c) => ({ start: c.start_byte, bytes: encoder.encode(c.full_text) }))
  if (own.encoding === 'utf-8' && own.document != null) {
    const bytes = encoder.encode(own.document)
    if (chunks.every((c) => hasAt(bytes, c.start, c.bytes))) return { bytes, from: 'document' }
  }
  if (chunks.length === 0) return { bytes: new Uint8Array(), from: 'nothing' }
  const bytes = new Uint8Array(Math.max(...chunks.map((c) => c.start + c.bytes.length))).fill(space)
  for (const c of chunks) {
    // What was left out between two chunks is shown as a line break.
    if (c.start > 0) bytes[c.start - 1] = lineBreak
  }
  for (const c of chunks) bytes.set(c.bytes, c.start)
  return { bytes, from: 'chunks' }
}

function hasAt(bytes: Uint8Array, start: number, part: Uint8Array): boolean {
  if (start + part.length > bytes.length) return false
  for (let i = 0; i < part.length; i++) if (bytes[start + i] !== part[i]) return false
  return true
}

/** A block is a part of a text that is shown as one: from a byte up to but not including another. */
export interface Block {
  start: number
  end: number
}

const blockSize = 4_000 // bytes, after which a block ends with its line
const longest = 16_000 // bytes of a block whose lines are longer

/** blocksOf divides a text into parts that end with a line, so that only those in view need to be marked. */
export function blocksOf(bytes: Uint8Array): Block[] {
  const blocks: Block[] = []
  for (let start = 0; start < bytes.length; ) {
    let end = bytes.indexOf(lineBreak, start + blockSize - 1) + 1
    if (end === 0 || end - start > longest) end = Math.min(bytes.length, start + longest)
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end-- // not within a character
    blocks.push({ start, end })
    start = end
  }
  return blocks
}

/** inBlocks returns for each block the numbers of the spans, sorted by their begin, that have something in it. */
export function inBlocks(blocks: Block[], spans: { start_byte: number; end_byte: number }[]): number[][] {
  const found: number[][] = blocks.map(() => [])
  let first = 0
  spans.forEach((s, i) => {
    while (first < blocks.length && blocks[first]!.end <= s.start_byte) first++
    for (let b = first; b < blocks.length && blocks[b]!.start < s.end_byte; b++) found[b]!.push(i)
  })
  return found
}

/** blockAt returns the number of the block that has a byte, or -1. */
export const blockAt = (blocks: Block[], byte: number) => blocks.findIndex((b) => b.start <= byte && byte < b.end)
