import type { Schemas } from '../api/client'

type Neighborhood = Schemas['Neighborhood']
export type Node = Schemas['NeighborhoodNode']
export type Edge = Schemas['SubgraphEdge']

/** Shown is the part of the graph that the page shows: the neighbourhoods of the expanded concepts, together. */
export interface Shown {
  nodes: Map<string, Node>
  edges: Map<string, Edge>
}

export const edgeKey = (e: Edge) => [e.from_concept_id, e.relationship_type, e.to_concept_id].join(' ')

/** join puts neighbourhoods together; what several have is there once. */
export function join(parts: Neighborhood[]): Shown {
  const nodes = new Map<string, Node>()
  const edges = new Map<string, Edge>()
  for (const part of parts) {
    for (const n of part.nodes ?? []) if (!nodes.has(n.concept_id)) nodes.set(n.concept_id, n)
    for (const e of part.edges ?? []) edges.set(edgeKey(e), e)
  }
  for (const [key, e] of edges) if (!nodes.has(e.from_concept_id) || !nodes.has(e.to_concept_id)) edges.delete(key)
  return { nodes, edges }
}

/** edgesOf are the shown relationships of a concept, the surest first. */
export const edgesOf = (shown: Shown, id: string) =>
  [...shown.edges.values()].filter((e) => e.from_concept_id === id || e.to_concept_id === id).sort((a, b) => b.confidence - a.confidence)

/** Address is what the address of the page holds: the expanded concepts in their order, and the one whose drawer is open. */
export interface Address {
  expanded: string[]
  open: string
}

export function readAddress(query: string): Address {
  const given = new URLSearchParams(query)
  return { expanded: [...new Set(given.getAll('c').filter(Boolean))].slice(0, 20), open: given.get('open') ?? '' }
}

export function writeAddress(a: Address): string {
  const query = new URLSearchParams(a.expanded.map((id) => ['c', id]))
  if (a.open) query.set('open', a.open)
  return '/explore' + (query.size > 0 ? '?' + query : '')
}
