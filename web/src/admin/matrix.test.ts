import { expect, it } from 'vitest'
import type { Schemas } from '../api/client'
import { cellOf, lineOf } from './matrix'

const roles = [{ role_name: 'reader', parent_role: null }, { role_name: 'curator', parent_role: 'reader' }, { role_name: 'a', parent_role: 'b' }, { role_name: 'b', parent_role: 'a' }]
const grant = (more: Partial<Schemas['RoleGrant']>) =>
  ({ id: 1, role_name: 'curator', resource_type: 'jobs', action: 'read', granted: true, scope_type: 'global', scope_id: null, scope_filter: null, inherited_from: null, created_at: '', created_by: null, ...more }) as Schemas['RoleGrant']
const of = (grants: Schemas['RoleGrant'][], role = 'curator') => cellOf(grants, roles, role, 'jobs', 'read')

it('says by which right a role may do something', () => {
  expect(of([grant({ role_name: 'reader', scope_type: 'own' })])).toMatchObject({ reach: 'own', why: 'granted to reader, whose rights it has, for what one owns', grant: null })
  expect(of([grant({ role_name: 'reader', scope_type: 'own' }), grant({ id: 2 })])).toMatchObject({ reach: 'all', grant: { id: 2 } })
})
it('has a denial win', () => expect(of([grant({}), grant({ role_name: 'reader', granted: false, scope_type: 'own' })]).reach).toBe('denied'))
it('knows what nothing grants', () => expect(of([grant({})], 'reader')).toMatchObject({ reach: '', grant: null }))
it('ends where roles have the rights of each other', () => expect(lineOf(roles, 'a')).toEqual(['a', 'b']))
