import { describe, expect, it } from 'vitest'
import type { Schemas } from '../api/client'
import { marksOf, target, textOf } from './text'

const content = (over: object) => ({ document_id: 'sha256:a', chunks: [], ...over }) as unknown as Schemas['DocumentContent']
const concept = (...instances: object[]) => ({ concept_id: 'c', instances }) as unknown as Schemas['ConceptDetails']

describe('textOf', () => {
  it('takes a text as it is', () => expect(textOf(content({ content: { encoding: 'utf-8', document: 'é' } }))).toEqual({ text: 'é', from: 'document' }))
  it('joins chunks that overlap', () => {
    const chunks = [
      { full_text: 'two three', char_offset_start: 4, char_offset_end: 13 },
      { full_text: 'one two', char_offset_start: 0, char_offset_end: 7 },
    ]
    expect(textOf(content({ content: { encoding: 'base64' }, chunks }))).toEqual({ text: 'one two three', from: 'chunks' })
  })
  it('has none without chunks', () => expect(textOf(content({ content: { encoding: 'base64' } })).from).toBe('nothing'))
})

describe('marksOf', () => {
  it('marks quotes of this document by their bytes, and the passage', () => {
    const c = concept({ document_id: 'sha256:a', start_byte: 2, end_byte: 5, quote: 'x' }, { document_id: 'sha256:b', start_byte: 1, end_byte: 2, quote: 'y' })
    expect(marksOf({ text: 'abcdef', from: 'document' }, 'sha256:a', [c], 0, 2)).toEqual([{ start: 0, end: 2, id: target }, { start: 2, end: 5, id: 'c' }])
  })
  it('finds quotes in the text of chunks', () => {
    const c = concept({ document_id: 'sha256:a', start_byte: 900, end_byte: 905, quote: 'wide' }, { document_id: 'sha256:a', start_byte: 1, end_byte: 2, quote: 'gone' })
    expect(marksOf({ text: 'é wide', from: 'chunks' }, 'sha256:a', [c])).toEqual([{ start: 3, end: 7, id: 'c' }])
  })
})
