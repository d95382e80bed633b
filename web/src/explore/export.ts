import type Sigma from 'sigma'
import type { Shown } from './graph'

/** save has the browser store something as a file. */
export function save(name: string, body: Blob) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(body)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** saveJSON stores what is shown, with the members that the API gives. */
export const saveJSON = (shown: Shown) => save('graph.json', new Blob([JSON.stringify({ nodes: [...shown.nodes.values()], edges: [...shown.edges.values()] }, null, 1)], { type: 'application/json' }))

const escaped = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')

/** graphML is what is shown in the format of that name, which programs that draw graphs read. */
export function graphML(shown: Shown): string {
  const keys = [['label', 'node', 'string'], ['description', 'node', 'string'], ['degree', 'node', 'int'], ['type', 'edge', 'string'], ['confidence', 'edge', 'double']]
  const item = (key: string, value: unknown) => (value == null || value === '' ? '' : `<data key="${key}">${escaped(String(value))}</data>`)
  const nodes = [...shown.nodes.values()].map((n) => `<node id="${escaped(n.concept_id)}">${item('label', n.label)}${item('description', n.description)}${item('degree', n.degree)}</node>`)
  const edges = [...shown.edges.values()].map((e) => `<edge source="${escaped(e.from_concept_id)}" target="${escaped(e.to_concept_id)}">${item('type', e.relationship_type)}${item('confidence', e.confidence)}</edge>`)
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ...keys.map(([id, of, type]) => `<key id="${id}" for="${of}" attr.name="${id}" attr.type="${type}"/>`), '<graph edgedefault="directed">', ...nodes, ...edges, '</graph>', '</graphml>', ''].join('\n')
}

export const saveGraphML = (shown: Shown) => save('graph.graphml', new Blob([graphML(shown)], { type: 'application/xml' }))

/** savePNG stores the picture as it is on the screen. */
export function savePNG(sigma: Sigma, background: string) {
  const { width, height } = sigma.getDimensions()
  const scale = window.devicePixelRatio || 1
  const picture = document.createElement('canvas')
  picture.width = width * scale
  picture.height = height * scale
  const ctx = picture.getContext('2d')!
  ctx.fillStyle = background
  ctx.fillRect(0, 0, picture.width, picture.height)
  sigma.refresh({ schedule: false }) // what WebGL has drawn is there until the browser shows it
  const layers = sigma.getCanvases()
  for (const name of ['edges', 'edgeLabels', 'nodes', 'labels']) if (layers[name]) ctx.drawImage(layers[name], 0, 0, picture.width, picture.height)
  picture.toBlob((body) => body && save('graph.png', body), 'image/png')
}
