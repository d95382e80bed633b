import { expect, it } from 'vitest'
import { join, type Edge, type Node } from './graph'
import { lookOf } from './look'

const node = (id: string, more: object = {}) => ({ concept_id: id, label: id.toUpperCase(), degree: 9, distance: 1, ...more }) as Node
const edge = (from: string, to: string) => ({ from_concept_id: from, relationship_type: 'USES', to_concept_id: to, confidence: 0.9 }) as Edge
const two = join([{ nodes: ['a', 'b', 'c', 'x', 'y', 'z'].map((id) => node(id)), edges: [edge('a', 'b'), edge('b', 'c'), edge('a', 'c'), edge('x', 'y'), edge('y', 'z'), edge('x', 'z'), edge('c', 'x')] } as never])

it('gives each community a colour, and names it after its strongest concept', () => {
  const look = lookOf(two, { color: 'community', size: 'shown' })
  expect(look.legend.map((l) => [l.name, l.size])).toEqual([['around C', 3], ['around X', 3]])
  expect(new Set(['a', 'b', 'c'].map((id) => look.color.get(id))).size).toBe(1)
  expect(look.color.get('a')).not.toBe(look.color.get('z'))
  expect(look.size.get('c')).toBeGreaterThan(look.size.get('a')!)
})
it('needs no legend for one colour', () => expect(lookOf(two, { color: 'plain', size: 'degree' }).legend).toEqual([]))
it('gives what is beyond the palette its last colour', () => {
  const many = join([{ nodes: Array.from({ length: 12 }, (_, i) => node('n' + i)), edges: [] } as never])
  const look = lookOf(many, { color: 'community', size: 'degree' })
  expect(look.legend.map((l) => l.size)).toEqual([1, 1, 1, 1, 1, 1, 1, 5])
  expect(look.legend.at(-1)!.name).toBe('others')
})
it('colours by ontology, and says of a concept of several that it is', () => {
  const some = join([{ nodes: [node('a', { ontologies: ['ice'] }), node('b', { ontologies: ['ice'] }), node('c', { ontologies: ['ice', 'water'] }), node('d')], edges: [] } as never])
  expect(lookOf(some, { color: 'ontology', size: 'degree' }).legend.map((l) => [l.name, l.size])).toEqual([['ice', 2], ['in several', 1], ['not known', 1]])
})
it('draws what has more quotes larger', () => {
  const { size } = lookOf(join([{ nodes: [node('a', { evidence_count: 1 }), node('b', { evidence_count: 49 })], edges: [] } as never]), { color: 'plain', size: 'quotes' })
  expect([size.get('a'), size.get('b')]).toEqual([5, 11])
})
