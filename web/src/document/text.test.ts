import { describe, expect, it } from 'vitest'
import type { Schemas } from '../api/client'
import { blockAt, blocksOf, inBlocks, textOf } from './text'

const content = (over: object) => ({ document_id: 'sha256:a', chunks: [], ...over }) as unknown as Schemas['DocumentContent']
const chunk = (start_byte: number, full_text: string) => ({ full_text, start_byte, end_byte: start_byte + full_text.length })
const read = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('textOf', () => {
  it('takes a text as it is', () => {
    const text = textOf(content({ content: { encoding: 'utf-8', document: 'é one' }, chunks: [chunk(3, 'one')] }))
    expect([read(text.bytes), text.from]).toEqual(['é one', 'document'])
  })
  it('takes the chunks where something else was read than what is there', () => {
    const text = textOf(content({ content: { encoding: 'utf-8', document: '<p>one two' }, chunks: [chunk(0, 'one'), chunk(6, 'two')] }))
    expect([read(text.bytes), text.from]).toEqual(['one  \ntwo', 'chunks'])
  })
  it('joins chunks that overlap', () => {
    const text = textOf(content({ content: { encoding: 'base64' }, chunks: [chunk(4, 'two three'), chunk(0, 'one two')] }))
    expect([read(text.bytes), text.from]).toEqual(['one two three', 'chunks'])
  })
  it('has none without chunks', () => expect(textOf(content({ content: { encoding: 'base64' } })).from).toBe('nothing'))
})

describe('blocksOf', () => {
  it('loses nothing, ends with lines, and cuts no character', () => {
    for (const line of ['a line\n', 'é', 'ä'.repeat(9_001) + '\n', '𝄞'.repeat(5_000)]) {
      const bytes = new TextEncoder().encode(line.repeat(Math.ceil(40_000 / line.length)))
      const blocks = blocksOf(bytes)
      expect(blocks.length).toBeGreaterThan(1)
      expect(blocks.map((b) => new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(b.start, b.end))).join('')).toBe(read(bytes))
    }
    expect(blocksOf(new Uint8Array())).toEqual([])
  })
})

describe('inBlocks', () => {
  const blocks = [{ start: 0, end: 10 }, { start: 10, end: 20 }, { start: 20, end: 30 }]
  const span = (start_byte: number, end_byte: number) => ({ start_byte, end_byte })
  it('finds what begins in a block, reaches into it, or goes through it', () => {
    expect(inBlocks(blocks, [span(0, 10), span(5, 25), span(9, 11), span(20, 21), span(40, 50)])).toEqual([[0, 1, 2], [1, 2], [1, 3]])
    expect([blockAt(blocks, 0), blockAt(blocks, 19), blockAt(blocks, 30)]).toEqual([0, 1, -1])
  })
})
