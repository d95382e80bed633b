import { expect, it } from 'vitest'
import { matching, type Choice } from './choices'

const choices: Choice[] = ['Jobs', 'Failed jobs', 'Lanes'].map((name) => ({ kind: 'page', name }))

it('wants every word, and puts those first that begin so', () => {
  expect(matching(choices, 'jo').map((c) => c.name)).toEqual(['Jobs', 'Failed jobs'])
  expect(matching(choices, 'jobs fail').map((c) => c.name)).toEqual(['Failed jobs'])
  expect(matching(choices, ' ').length).toBe(3)
})
