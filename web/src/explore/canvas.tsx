import Graph from 'graphology'
import Layout from 'graphology-layout-forceatlas2/worker'
import { useEffect, useRef, useState } from 'react'
import Sigma from 'sigma'
import type { Shown } from './graph'

const layoutTime = 2_000 // ms of layout after a change

/** Canvas draws the shown part of the graph. A click opens a concept and a double click expands it; the table beside it does the same by keyboard. */
export function Canvas({ shown, open, onOpen, onExpand }: { shown: Shown; open: string; onOpen: (id: string) => void; onExpand: (id: string) => void }) {
  const box = useRef<HTMLDivElement>(null)
  const graph = useRef(new Graph({ multi: true, type: 'directed' }))
  const sigma = useRef<Sigma>(null)
  const acts = useRef({ onOpen, onExpand })
  acts.current = { onOpen, onExpand }
  const [failed, setFailed] = useState(false)

  useEffect(() => {
    if (!box.current) return
    try {
      const style = getComputedStyle(box.current)
      const s = new Sigma(graph.current, box.current, {
        labelColor: { color: style.color }, labelSize: 13, labelRenderedSizeThreshold: 3, labelDensity: 1.5, allowInvalidContainer: true, defaultEdgeColor: resolve(['var(--edge)'])[0]!, defaultEdgeType: 'arrow',
        defaultDrawNodeHover: (ctx, data, settings) => {
          ctx.fillStyle = style.color
          ctx.font = `bold ${settings.labelSize}px ${settings.labelFont}`
          ctx.fillText(data.label ?? '', data.x + data.size + 3, data.y + settings.labelSize / 3)
        },
      })
      s.on('clickNode', (e) => acts.current.onOpen(e.node))
      s.on('doubleClickNode', (e) => {
        e.preventSigmaDefault()
        acts.current.onExpand(e.node)
      })
      sigma.current = s
      return () => {
        s.kill()
        sigma.current = null
      }
    } catch {
      setFailed(true) // the browser draws with no WebGL
    }
  }, [])

  useEffect(() => {
    const g = graph.current
    const [plain, chosen] = resolve(['var(--node)', 'var(--node-open)'])
    g.forEachNode((id) => !shown.nodes.has(id) && g.dropNode(id))
    let i = 0
    for (const [id, n] of shown.nodes) {
      const angle = i++ * 2.4 // the golden angle: no two begin at one place
      const look = { label: n.label, size: 4 + Math.min(10, Math.sqrt(n.degree)), color: id === open ? chosen : plain }
      if (g.hasNode(id)) g.mergeNodeAttributes(id, look)
      else g.addNode(id, { ...look, x: Math.sqrt(i) * Math.cos(angle), y: Math.sqrt(i) * Math.sin(angle) })
    }
    g.forEachEdge((key) => !shown.edges.has(key) && g.dropEdge(key))
    for (const [key, e] of shown.edges) if (!g.hasEdge(key)) g.addDirectedEdgeWithKey(key, e.from_concept_id, e.to_concept_id, { size: 1 + e.confidence })
  }, [shown, open])

  useEffect(() => {
    if (failed || shown.nodes.size < 2) return
    const layout = new Layout(graph.current, { settings: { gravity: 1, scalingRatio: 8, slowDown: 4, barnesHutOptimize: shown.nodes.size > 500 } })
    layout.start()
    const stop = setTimeout(() => layout.stop(), layoutTime)
    return () => {
      clearTimeout(stop)
      layout.kill()
    }
  }, [shown, failed])

  if (failed) return <p className="state muted">This browser cannot draw the graph; the table has all of it.</p>
  return <div ref={box} className="canvas card" aria-hidden="true" />
}

/** resolve turns colours of the style sheet into what a canvas knows. */
function resolve(colors: string[]): string[] {
  const probe = document.body.appendChild(document.createElement('span'))
  const found = colors.map((c) => {
    probe.style.color = c
    return getComputedStyle(probe).color
  })
  probe.remove()
  return found
}
