import { expect, it } from 'vitest'
import { filled } from './field'

it('leaves out what was left empty, and keeps false and zero', () => {
  expect(filled({ name: 'a', value: '', slots: '0', on: false }, ['slots'])).toEqual({ name: 'a', slots: 0, on: false })
})
