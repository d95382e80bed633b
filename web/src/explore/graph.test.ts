import { expect, it } from 'vitest'
import { edgesOf, join, readAddress, writeAddress, type Edge, type Node } from './graph'

const node = (id: string) => ({ concept_id: id, label: id }) as Node
const edge = (from: string, to: string, confidence: number) => ({ from_concept_id: from, relationship_type: 'USES', to_concept_id: to, confidence }) as Edge
const part = (nodes: Node[], edges: Edge[]) => ({ nodes, edges }) as never

it('joins neighbourhoods, with everything once and no edge into nothing', () => {
  const shown = join([part([node('a'), node('b')], [edge('a', 'b', 0.5), edge('a', 'z', 1)]), part([node('b'), node('c')], [edge('a', 'b', 0.5), edge('b', 'c', 0.9)])])
  expect([...shown.nodes.keys()]).toEqual(['a', 'b', 'c'])
  expect(edgesOf(shown, 'b').map((e) => e.to_concept_id)).toEqual(['c', 'b'])
})
it('reads the address that it writes', () => {
  const a = { expanded: ['c 1', 'c&2'], open: 'c 1' }
  expect(readAddress(writeAddress(a).split('?')[1]!)).toEqual(a)
  expect(readAddress('?c=x&c=x&c=')).toEqual({ expanded: ['x'], open: '' })
  expect(writeAddress({ expanded: [], open: '' })).toBe('/explore')
})
