import Sigma from 'sigma'
import { EdgeLineProgram, NodePointProgram } from 'sigma/rendering'
import type Graph from 'graphology'
import { palette } from './look'

/** resolve turns colours of the style sheet into what a canvas knows. */
export function resolve(colors: string[]): string[] {
  const probe = document.body.appendChild(document.createElement('span'))
  const found = colors.map((c) => {
    probe.style.color = c
    return getComputedStyle(probe).color
  })
  probe.remove()
  return found
}

export const paletteColors = () => resolve(palette.map((name) => `var(${name})`))

export const large = 2_000 // concepts

/** newSigma draws a graph of about so many concepts into a box, in the colours of the page. It throws where the browser draws with no WebGL. */
export function newSigma(graph: Graph, box: HTMLElement, size: number, more: object = {}): Sigma {
  const style = getComputedStyle(box)
  return new Sigma(graph, box, {
    labelColor: { color: style.color }, labelSize: 13, labelRenderedSizeThreshold: 3, labelDensity: 1.5, allowInvalidContainer: true, defaultEdgeColor: resolve(['var(--edge)'])[0]!, defaultEdgeType: 'arrow', hideEdgesOnMove: true,
    defaultDrawNodeHover: (ctx, data, settings) => {
      ctx.fillStyle = style.color
      ctx.font = `bold ${settings.labelSize}px ${settings.labelFont}`
      ctx.fillText(data.label ?? '', data.x + data.size + 3, data.y + settings.labelSize / 3)
    },
    // Of a large graph, points and thin lines are drawn in place of discs and arrows, which cost a browser without a graphics processor a second each time.
    ...(size > large && { nodeProgramClasses: { circle: NodePointProgram }, edgeProgramClasses: { arrow: EdgeLineProgram }, hideLabelsOnMove: true }),
    ...more,
  })
}
