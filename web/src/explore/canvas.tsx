import Graph from 'graphology'
import Layout from 'graphology-layout-forceatlas2/worker'
import { useEffect, useRef, useState } from 'react'
import type Sigma from 'sigma'
import { large, newSigma, paletteColors, resolve } from './draw'
import type { Shown } from './graph'
import type { Look } from './look'

const layoutTime = 2_000 // ms of layout after a change

interface Props {
  shown: Shown
  look: Look
  open: string
  path: Set<string> // the keys of its edges
  pinned: string[]
  onOpen: (id: string) => void
  onExpand: (id: string) => void
  onPin: (id: string) => void
  drawn: (sigma: Sigma | null) => void
}

/** Canvas draws the shown part of the graph, laid out in a worker. A click opens a concept, a double click expands it, and one that is dragged stays where it was put; the table beside it does the same by keyboard. */
export function Canvas(props: Props) {
  const { shown, look, open, path, pinned } = props
  const box = useRef<HTMLDivElement>(null)
  const graph = useRef(new Graph({ multi: true, type: 'directed' }))
  const sigma = useRef<Sigma>(null)
  const acts = useRef(props)
  acts.current = props
  const [failed, setFailed] = useState(false)
  const isLarge = shown.nodes.size > large

  useEffect(() => {
    if (!box.current) return
    try {
      const s = newSigma(graph.current, box.current, isLarge ? Infinity : 0)
      listen(s, graph.current, acts, !isLarge)
      sigma.current = s
      acts.current.drawn(s)
      return () => {
        sigma.current = null
        acts.current.drawn(null)
        s.kill()
      }
    } catch {
      setFailed(true) // the browser draws with no WebGL
    }
  }, [isLarge])

  useEffect(() => {
    const g = graph.current
    const [chosen, onPath] = resolve(['var(--node-open)', 'var(--node-open)'])
    const colors = paletteColors()
    g.forEachNode((id) => !shown.nodes.has(id) && g.dropNode(id))
    let i = 0
    for (const [id, n] of shown.nodes) {
      const angle = i++ * 2.4 // the golden angle: no two begin at one place
      const attributes = { label: n.label, size: look.size.get(id) ?? 4, color: id === open ? chosen : colors[look.color.get(id) ?? 0], fixed: pinned.includes(id), highlighted: pinned.includes(id) }
      if (g.hasNode(id)) g.mergeNodeAttributes(id, attributes)
      else g.addNode(id, { ...attributes, x: Math.sqrt(i) * Math.cos(angle), y: Math.sqrt(i) * Math.sin(angle) })
    }
    g.forEachEdge((key) => !shown.edges.has(key) && g.dropEdge(key))
    for (const [key, e] of shown.edges) {
      if (!g.hasEdge(key)) g.addDirectedEdgeWithKey(key, e.from_concept_id, e.to_concept_id)
      g.mergeEdgeAttributes(key, path.has(key) ? { size: 4, color: onPath, zIndex: 1 } : { size: 1 + e.confidence, color: undefined })
    }
  }, [shown, look, open, path, pinned])

  useEffect(() => {
    if (failed || shown.nodes.size < 2) return
    // A large graph is drawn anew once, when its layout has ended: each time takes the page a tenth of a second.
    const copy = isLarge ? graph.current.copy() : graph.current
    const layout = new Layout(copy, { settings: { gravity: 1, scalingRatio: 8, slowDown: 4, barnesHutOptimize: shown.nodes.size > 500 } })
    layout.start()
    const stop = setTimeout(() => {
      layout.stop()
      if (isLarge) place(sigma.current, graph.current, copy)
    }, isLarge ? 5 * layoutTime : layoutTime)
    return () => {
      clearTimeout(stop)
      layout.kill()
    }
  }, [shown, failed, isLarge])

  if (failed) return <p className="state muted">This browser cannot draw the graph; the table has all of it.</p>
  return <div ref={box} className="canvas card" aria-hidden="true" />
}

/** place moves the concepts of a graph to where a copy of it has them, and draws it anew. Nothing is told of each, which would have each looked at twice more. */
function place(s: Sigma | null, graph: Graph, copy: Graph) {
  graph.forEachNode((id, own) => {
    if (!copy.hasNode(id)) return
    const { x, y } = copy.getNodeAttributes(id)
    own.x = x
    own.y = y
  })
  s?.refresh({ partialGraph: {}, skipIndexation: false, schedule: true })
}

/** listen follows the mouse: a click, a double click, or, where that is quick enough, a concept that is dragged. */
function listen(s: Sigma, graph: Graph, acts: { current: Props }, drags: boolean) {
  let dragged = ''
  let moved = false
  s.on('clickNode', (e) => !moved && acts.current.onOpen(e.node))
  s.on('doubleClickNode', (e) => {
    e.preventSigmaDefault()
    acts.current.onExpand(e.node)
  })
  s.on('downNode', (e) => {
    dragged = drags ? e.node : ''
    moved = false
  })
  s.on('moveBody', ({ event }) => {
    if (!dragged) return
    moved = true
    if (!s.getCustomBBox()) s.setCustomBBox(s.getBBox())
    graph.mergeNodeAttributes(dragged, { ...s.viewportToGraph(event), fixed: true })
    event.preventSigmaDefault()
    event.original.preventDefault()
  })
  const drop = () => {
    if (dragged && moved) acts.current.onPin(dragged)
    dragged = ''
  }
  s.on('upNode', drop)
  s.on('upStage', drop)
}
