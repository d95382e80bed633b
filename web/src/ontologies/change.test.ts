import { expect, it } from 'vitest'
import type { Schemas } from '../api/client'
import { effectsOf } from './change'

const proposal = (more: object) => ({ proposal_type: 'merge', ontology_name: 'a', target_ontology: 'b', suggested_name: null, ...more }) as Schemas['OntologyProposal']
const ontology = (more: object) => ({ file_count: 1, source_count: 10, concept_count: 100, ...more }) as Schemas['Ontology']

it('counts the concepts that two ontologies share once', () => {
  const effects = effectsOf(proposal({}), { source: ontology({}), target: ontology({ concept_count: 50 }), shared: 20 })
  expect(effects.at(-1)).toEqual({ ontology: 'b', measure: 'concepts', before: '50', after: '130' })
  expect(effects[0]).toEqual({ ontology: 'a', measure: 'documents', before: '1', after: 'gone' })
})
it('splits off the chunks that show a concept', () => {
  const effects = effectsOf(proposal({ proposal_type: 'promotion', suggested_name: 'new' }), { source: ontology({}), quotes: { chunks: 4, documents: 1 } })
  expect(effects).toEqual([{ ontology: 'new', measure: 'chunks', before: 'not there', after: '4' }, { ontology: 'a', measure: 'chunks', before: '10', after: '6' }])
})
