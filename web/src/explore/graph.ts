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

/** join puts neighbourhoods together, without what is hidden; what several have is there once. */
export function join(parts: Pick<Neighborhood, 'nodes' | 'edges'>[], hidden: string[] = []): Shown {
  const nodes = new Map<string, Node>()
  const edges = new Map<string, Edge>()
  for (const part of parts) {
    for (const n of part.nodes ?? []) if (!nodes.has(n.concept_id)) nodes.set(n.concept_id, n)
    for (const e of part.edges ?? []) edges.set(edgeKey(e), e)
  }
  for (const id of hidden) nodes.delete(id)
  for (const [key, e] of edges) if (!nodes.has(e.from_concept_id) || !nodes.has(e.to_concept_id)) edges.delete(key)
  return { nodes, edges }
}

/** edgesOf are the shown relationships of a concept, the surest first. */
export const edgesOf = (shown: Shown, id: string) =>
  [...shown.edges.values()].filter((e) => e.from_concept_id === id || e.to_concept_id === id).sort((a, b) => b.confidence - a.confidence)

/** countEdges returns how many shown relationships each concept has. */
export function countEdges(shown: Shown): Map<string, number> {
  const count = new Map<string, number>()
  for (const e of shown.edges.values()) for (const id of [e.from_concept_id, e.to_concept_id]) count.set(id, (count.get(id) ?? 0) + 1)
  return count
}

/** partOf is a path as a part of the graph. A concept of a path shows no degree of its own: it is unknown. */
export function partOf(path: Schemas['Path']): { nodes: Node[]; edges: Edge[] } {
  const along = path.nodes ?? []
  const nodes = along.map((n, i) => ({ concept_id: n.id, label: n.label, description: n.description, degree: 0, distance: i }) as unknown as Node)
  const edges = (path.relationships ?? []).map((type, i) => {
    const [a, b] = [along[i]!.id, along[i + 1]!.id]
    const ahead = path.forward?.[i] ?? true
    return { from_concept_id: ahead ? a : b, to_concept_id: ahead ? b : a, relationship_type: type, confidence: 1, evidence: null } as unknown as Edge
  })
  return { nodes, edges }
}

export const colorings = { plain: 'one colour', ontology: 'ontology', community: 'community', distance: 'distance', grounding: 'grounding' } as const
export const sizings = { degree: 'all relationships', shown: 'relationships shown', quotes: 'quotes' } as const
export type Coloring = keyof typeof colorings
export type Sizing = keyof typeof sizings

/** Address is all that the address of the page holds. */
export interface Address {
  expanded: string[] // concepts, in their order
  open: string // the one whose drawer is open
  from: string // of a path
  to: string
  map: string // the ontology whose map is shown; "" is none
  hidden: string[]
  pinned: string[]
  ontology: string
  types: string[] // of relationships; none are all
  confidence: number // at least, in percent
  statuses: string[] // epistemic; none are all
  color: Coloring
  size: Sizing
  most: number // concepts of a neighbourhood
}

export const fewest = 60 // concepts of a neighbourhood, before more are asked for
export const mostOf = 1000 // that the server gives

export const nowhere: Address = { expanded: [], open: '', from: '', to: '', map: '', hidden: [], pinned: [], ontology: '', types: [], confidence: 0, statuses: [], color: 'plain', size: 'degree', most: fewest }

const within = (text: string | null, least: number, most: number, otherwise: number) => {
  const n = Number(text ?? NaN)
  return Number.isInteger(n) ? Math.min(most, Math.max(least, n)) : otherwise
}

export function readAddress(query: string): Address {
  const given = new URLSearchParams(query)
  const list = (name: string, most: number) => [...new Set(given.getAll(name).filter(Boolean))].slice(0, most)
  const one = (name: string) => given.get(name) ?? ''
  return {
    expanded: list('c', 20), open: one('open'), from: one('from'), to: one('to'), map: one('map'),
    hidden: list('hide', 200), pinned: list('pin', 200), ontology: one('ontology'), types: list('type', 50), statuses: list('epistemic', 10),
    confidence: within(given.get('confidence'), 0, 100, 0), most: within(given.get('most'), 1, mostOf, fewest),
    color: one('color') in colorings ? (one('color') as Coloring) : 'plain', size: one('size') in sizings ? (one('size') as Sizing) : 'degree',
  }
}

export function writeAddress(a: Address): string {
  const lists: [string, string[]][] = [['c', a.expanded], ['hide', a.hidden], ['pin', a.pinned], ['type', a.types], ['epistemic', a.statuses]]
  const query = new URLSearchParams(lists.flatMap(([name, values]) => values.map((v): [string, string] => [name, v])))
  for (const name of ['open', 'from', 'to', 'map', 'ontology'] as const) if (a[name]) query.set(name, a[name])
  if (a.confidence > 0) query.set('confidence', String(a.confidence))
  if (a.most !== fewest) query.set('most', String(a.most))
  if (a.color !== 'plain') query.set('color', a.color)
  if (a.size !== 'degree') query.set('size', a.size)
  return '/explore' + (query.size > 0 ? '?' + query : '')
}

/** filterOf is what the address asks the server to leave out, as its questions take it. */
export const filterOf = (a: Address) => ({
  ...(a.ontology && { ontology: a.ontology }),
  ...(a.types.length > 0 && { relationship_types: a.types }),
  ...(a.statuses.length > 0 && { include_epistemic_status: a.statuses }),
  ...(a.confidence > 0 && { min_confidence: a.confidence / 100 }),
})
