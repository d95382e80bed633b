import Graph from 'graphology'
import louvain from 'graphology-communities-louvain'
import { countEdges, type Address, type Node, type Shown } from './graph'

/** Legend says what a colour means. */
export interface Legend {
  color: number // of the palette
  name: string
  size: number // concepts
}

/** Look is how concepts are drawn: a colour of the palette and a radius in pixels each. */
export interface Look {
  color: Map<string, number>
  size: Map<string, number>
  legend: Legend[]
}

export const palette = ['--c0', '--c1', '--c2', '--c3', '--c4', '--c5', '--c6', '--c7']
const others = palette.length - 1

const crowd = 2_000 // concepts, of which each is drawn smaller

/** lookOf colours and sizes concepts as the address says. */
export function lookOf(shown: Shown, at: Pick<Address, 'color' | 'size'>): Look {
  const edges = countEdges(shown)
  const size = new Map<string, number>()
  const scale = shown.nodes.size > crowd ? 0.45 : 1
  const sizeOf = { degree: (n: Node) => n.degree, shown: (n: Node) => edges.get(n.concept_id) ?? 0, quotes: (n: Node) => n.evidence_count ?? 0 }[at.size]
  for (const [id, n] of shown.nodes) size.set(id, scale * (4 + Math.min(12, Math.sqrt(sizeOf(n)))))
  const name = { plain: () => '', ontology: (id: string) => ontologyOf(shown.nodes.get(id)!), community: communityOf(shown, at.color), distance: (id: string) => distances[Math.min(shown.nodes.get(id)!.distance, distances.length - 1)]!, grounding: (id: string) => groundingOf(shown.nodes.get(id)!.grounding_strength) }[at.color]
  return { size, ...colored(shown, name, edges) }
}

function ontologyOf(n: Node): string {
  const [first, ...more] = n.ontologies ?? []
  return more.length > 0 ? 'in several' : (first ?? 'not known')
}

const distances = ['an expanded concept', 'one relationship away', 'two away', 'further away']

function groundingOf(strength: number | null | undefined): string {
  if (strength == null) return 'not measured'
  return strength > 0.2 ? 'supported' : strength < -0.2 ? 'contradicted' : 'neither'
}

/** colored gives the largest groups a colour each, and all others the last one. */
function colored(shown: Shown, groupOf: (id: string) => string, edges: Map<string, number>): Pick<Look, 'color' | 'legend'> {
  const groups = new Map<string, string[]>()
  for (const id of shown.nodes.keys()) groups.set(groupOf(id), [...(groups.get(groupOf(id)) ?? []), id])
  const sorted = [...groups].sort((a, b) => b[1].length - a[1].length)
  const color = new Map<string, number>()
  const legend: Legend[] = []
  sorted.forEach(([group, ids], i) => {
    const c = Math.min(i, others)
    for (const id of ids) color.set(id, c)
    if (i < others) legend.push({ color: c, name: group.startsWith('#') ? 'around ' + strongest(shown, ids, edges) : group, size: ids.length })
    else if (i === others) legend.push({ color: c, name: 'others', size: ids.length })
    else legend[others]!.size += ids.length
  })
  return { color, legend: legend.filter((l) => l.name !== '') }
}

const strongest = (shown: Shown, ids: string[], edges: Map<string, number>) => shown.nodes.get(ids.reduce((best, id) => ((edges.get(id) ?? 0) > (edges.get(best) ?? 0) ? id : best)))!.label

/** communityOf finds the communities of what is shown (Louvain), the same each time. */
function communityOf(shown: Shown, color: string): (id: string) => string {
  if (color !== 'community') return () => ''
  const g = new Graph({ type: 'undirected' })
  for (const id of shown.nodes.keys()) g.addNode(id)
  for (const e of shown.edges.values()) if (!g.hasEdge(e.from_concept_id, e.to_concept_id)) g.addEdge(e.from_concept_id, e.to_concept_id, { weight: e.confidence || 0.1 })
  let seed = 1
  const found = louvain(g, { rng: () => (seed = (seed * 16807) % 2147483647) / 2147483647 })
  return (id) => '#' + found[id]
}
