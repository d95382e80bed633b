import { describe, expect, it } from 'vitest'
import { cut as cutBytes, words, type Mark } from './marks'

const cut = (text: string, marks: Mark[], from?: number, to?: number) => cutBytes(new TextEncoder().encode(text), marks, from, to)

describe('cut', () => {
  it('counts bytes, not characters', () => {
    const pieces = cut('é wide river', [{ start: 3, end: 7, id: 'a' }])
    expect(pieces.map((p) => [p.text, p.ids])).toEqual([['é ', []], ['wide', ['a']], [' river', []]])
  })
  it('shows marks that overlap', () => {
    const pieces = cut('abcdef', [{ start: 0, end: 4, id: 'x' }, { start: 2, end: 6, id: 'y' }])
    expect(pieces.map((p) => [p.text, p.ids])).toEqual([['ab', ['x']], ['cd', ['x', 'y']], ['ef', ['y']]])
  })
  it('leaves out what is not in the text, and loses nothing of it', () => {
    const pieces = cut('abc', [{ start: 2, end: 9, id: 'x' }, { start: 1, end: 1, id: 'y' }])
    expect(pieces).toEqual([{ text: 'abc', start: 0, ids: [] }])
  })
  it('cuts a part of a text', () => {
    const pieces = cut('abcdef', [{ start: 0, end: 3, id: 'x' }, { start: 4, end: 6, id: 'y' }, { start: 0, end: 1, id: 'z' }], 2, 5)
    expect(pieces).toEqual([{ text: 'c', start: 2, ids: ['x'] }, { text: 'd', start: 3, ids: [] }, { text: 'e', start: 4, ids: ['y'] }])
  })
  it('shows markup as text', () => expect(cut('<b>x</b>', []).map((p) => p.text).join('')).toBe('<b>x</b>'))
})

describe('words', () => {
  it('finds other endings, and no common words', () => {
    expect(words('The rivers of the river', 'What is the river?').filter((w) => w.hit).map((w) => w.text)).toEqual(['rivers', 'river'])
  })
  it('finds nothing in nothing', () => expect(words('abc', '?')).toEqual([{ text: 'abc', hit: false }]))
})
