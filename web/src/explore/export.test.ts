import { expect, it } from 'vitest'
import { graphML } from './export'
import { join, type Edge, type Node } from './graph'

it('writes what is shown, with markup in names as text', () => {
  const shown = join([{ nodes: [{ concept_id: 'a_1', label: '<b>&"\u0001', degree: 2 }, { concept_id: 'b_2', label: 'B', degree: 1 }] as Node[], edges: [{ from_concept_id: 'a_1', relationship_type: 'USES', to_concept_id: 'b_2', confidence: 0.5 }] as Edge[] }])
  const text = graphML(shown)
  expect(text).toContain('<node id="a_1"><data key="label">&#60;b&#62;&#38;&#34;</data><data key="degree">2</data></node>')
  expect(text).toContain('<edge source="a_1" target="b_2"><data key="type">USES</data><data key="confidence">0.5</data></edge>')
})
