// What the figures of the console are measured on.

/** book is a text of about so many bytes whose sentences say something of so many things. */
export function book(bytes, things) {
  const parts = ['valve', 'pump', 'gear', 'shaft', 'seal', 'rotor', 'lever', 'spring', 'piston', 'flange']
  const lines = ['# A book of machines', '']
  const sentences = Math.floor(bytes / 215)
  for (let i = 0; i < sentences; i++) {
    const [a, b] = [parts[i % 10], parts[(i * 7 + 3) % 10]]
    const one = `${a} ${Math.floor(i / 10) % things}`
    lines.push(`The ${one} is a part of the ${b} ${(i * 13) % things}. It was not until much later, and after many a long evening in the workshop, that anybody wrote down how it had been made, by whom, and of what.`)
    if (i % 12 === 11) lines.push('')
    if (i % 240 === 239) lines.push(`## Chapter ${i}`, '')
  }
  return lines.join('\n') + '\n'
}

/** neighborhood is a graph of so many concepts and relationships, as the API answers it. */
export function neighborhood(nodes, edges) {
  let seed = 7
  const random = (n) => ((seed = (seed * 16807) % 2147483647), seed % n)
  const id = (i) => `n_${i}`
  const list = Array.from({ length: nodes }, (_, i) => ({ concept_id: id(i), label: 'Concept ' + i, description: null, degree: 6, distance: i ? 1 : 0, grounding_strength: null }))
  const found = new Map()
  while (found.size < edges) {
    const from = random(nodes)
    const to = random(4) ? Math.min(nodes - 1, from + 1 + random(20)) : random(nodes)
    if (from !== to) found.set(from + ' ' + to, { from_concept_id: id(from), relationship_type: 'USES', to_concept_id: id(to), confidence: 0.7, evidence: null })
  }
  return { concept_id: id(0), max_hops: 1, nodes: list, edges: [...found.values()], node_count: nodes, edge_count: edges, truncated: false, complete: true, timed_out: false, failed_chunks: 0, missing: '', epoch: 1, statistics: null }
}
