import { expect, it } from 'vitest'
import { bytes, dollars, share, until } from './units'

it('names sizes in the unit that fits', () => expect([0, 999, 12_300, 5e9].map(bytes)).toEqual(['0 B', '999 B', '12.3 kB', '5 GB']))
it('tells small amounts apart', () => expect([0, 0.00123456, 2.5].map(dollars)).toEqual(['$0.00', '$0.00123', '$2.50']))
it('says how long it is to an instant', () => {
  const at = (seconds: number) => until(new Date(seconds * 1000).toISOString(), 0)
  expect([at(-5), at(30), at(300), at(7200), at(86400)]).toEqual(['now', 'in 30 s', 'in 5 min', 'in 2 h', 'in 1 day'])
})
it('says nothing of what is not known', () => expect([share(null), share(0.256), until(null)]).toEqual(['', '26 %', '']))
