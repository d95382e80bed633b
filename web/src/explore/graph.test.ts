import { expect, it } from 'vitest'
import { countEdges, edgesOf, filterOf, join, nowhere, partOf, readAddress, writeAddress, type Edge, type Node } from './graph'

const node = (id: string) => ({ concept_id: id, label: id }) as Node
const edge = (from: string, to: string, confidence: number) => ({ from_concept_id: from, relationship_type: 'USES', to_concept_id: to, confidence }) as Edge
const part = (nodes: Node[], edges: Edge[]) => ({ nodes, edges }) as never

it('joins neighbourhoods, with everything once and no edge into nothing', () => {
  const parts = [part([node('a'), node('b')], [edge('a', 'b', 0.5), edge('a', 'z', 1)]), part([node('b'), node('c')], [edge('a', 'b', 0.5), edge('b', 'c', 0.9)])]
  const shown = join(parts)
  expect([...shown.nodes.keys()]).toEqual(['a', 'b', 'c'])
  expect(edgesOf(shown, 'b').map((e) => e.to_concept_id)).toEqual(['c', 'b'])
  expect([...countEdges(shown)]).toEqual([['a', 1], ['b', 2], ['c', 1]])
  const less = join(parts, ['a'])
  expect([[...less.nodes.keys()], less.edges.size]).toEqual([['b', 'c'], 1])
})
it('reads the address that it writes', () => {
  const a = { ...nowhere, expanded: ['c 1', 'c&2'], open: 'c 1', hidden: ['h'], pinned: ['p'], types: ['A', 'B'], statuses: ['X'], confidence: 40, color: 'community' as const, size: 'shown' as const, most: 120, ontology: 'o/1', from: 'f', to: 't' }
  expect(readAddress(writeAddress(a).split('?')[1]!)).toEqual(a)
  expect(readAddress('?c=x&c=x&c=&confidence=300&most=x&color=evil')).toEqual({ ...nowhere, expanded: ['x'], confidence: 100 })
  expect(writeAddress(nowhere)).toBe('/explore')
})
it('asks for no more than the filters that are set', () => {
  expect(filterOf(nowhere)).toEqual({})
  expect(filterOf({ ...nowhere, confidence: 40, types: ['A'] })).toEqual({ min_confidence: 0.4, relationship_types: ['A'] })
})
it('shows a path as it points', () => {
  const path = { nodes: [{ id: 'a', label: 'A' }, { id: 'b', label: 'B' }, { id: 'c', label: 'C' }], relationships: ['USES', 'HAS'], forward: [true, false] } as never
  expect(partOf(path).edges.map((e) => [e.from_concept_id, e.relationship_type, e.to_concept_id])).toEqual([['a', 'USES', 'b'], ['c', 'HAS', 'b']])
})
