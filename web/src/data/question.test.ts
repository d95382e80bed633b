import { describe, expect, it } from 'vitest'
import { csv, read, tableNamed, write } from './question'

describe('the address', () => {
  it('holds a question, whatever stands in it', () => {
    const q = { sql: "SELECT '|&=\n' FROM t", datasets: [{ table_name: 't', url: 'https://x.example/a|b.parquet?c=1&d' }], limit: 5 }
    expect(read(new URLSearchParams(write(q).toString()))).toEqual(q)
  })
  it('is not believed blindly', () => expect(read(new URLSearchParams('limit=999999&t=nothing&t=|x'))).toEqual({ sql: '', datasets: [], limit: 10_000 }))
})
describe('tableNamed', () => {
  it('makes a name that SQL takes', () => expect(['Trips 2026.parquet', 'https://x.example/1.parquet?a', '…'].map((f) => tableNamed(f, []))).toEqual(['trips_2026', 'a', 't']))
  it('takes none that is there', () => expect(tableNamed('trips.parquet', ['trips', 'trips2'])).toBe('trips3'))
})
it('quotes what CSV wants quoted', () => expect(csv(['a', 'b'], [{ a: 'x,"y"', b: null }, { a: [1], b: 'é\n' }])).toBe('a,b\r\n"x,""y""",\r\n[1],"é\n"\r\n'))
