import { expect, it } from 'vitest'
import type { Schemas } from '../api/client'
import { cellOf } from './matrix'

const grant = (more: Partial<Schemas['RoleGrant']>) =>
  ({ id: 1, role_name: 'curator', resource_type: 'jobs', action: 'read', granted: true, scope_type: 'global', scope_id: null, scope_filter: null, inherited_from: null, created_at: '', created_by: null, ...more }) as Schemas['RoleGrant']

it('says by which right a role may do something', () => {
  expect(cellOf([grant({ inherited_from: 'contributor', scope_type: 'own' })], 'curator', 'jobs', 'read')).toMatchObject({ reach: 'own', why: 'granted by contributor, own', grant: null })
  expect(cellOf([grant({ scope_type: 'own' }), grant({ id: 2 })], 'curator', 'jobs', 'read')).toMatchObject({ reach: 'all', grant: { id: 2 } })
})
it('has a denial win', () => expect(cellOf([grant({}), grant({ granted: false, scope_type: 'own' })], 'curator', 'jobs', 'read').reach).toBe('denied'))
it('knows what nothing grants', () => expect(cellOf([grant({})], 'reader', 'jobs', 'read')).toMatchObject({ reach: '', grant: null }))
