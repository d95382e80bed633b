package parquet

import "encoding/binary"

// The types of Thrift's compact protocol, in which the format writes what a file says of
// itself.
const (
	thriftTrue   = 1
	thriftI32    = 5
	thriftI64    = 6
	thriftBytes  = 8
	thriftList   = 9
	thriftStruct = 12
)

// compact writes structs in Thrift's compact protocol: fields in ascending order, each with
// how far its number is from the one before.
type compact struct {
	out  []byte
	last []int // the number of the last field, of each struct that is open
}

func (c *compact) field(id, kind int) {
	top := len(c.last) - 1
	c.out = append(c.out, byte(id-c.last[top])<<4|byte(kind)) // numbers here are at most 15 apart
	c.last[top] = id
}

// begin opens the struct that is the whole, or an element of a list.
func (c *compact) begin() { c.last = append(c.last, 0) }

// within opens a struct that is a field.
func (c *compact) within(id int) {
	c.field(id, thriftStruct)
	c.begin()
}

// end closes the struct that was opened last.
func (c *compact) end() {
	c.out = append(c.out, 0)
	c.last = c.last[:len(c.last)-1]
}

func (c *compact) number(n int64) { c.out = binary.AppendVarint(c.out, n) }

func (c *compact) bytes(s string) {
	c.out = append(binary.AppendUvarint(c.out, uint64(len(s))), s...)
}

func (c *compact) i32(id int, n int64) { c.field(id, thriftI32); c.number(n) }
func (c *compact) i64(id int, n int64) { c.field(id, thriftI64); c.number(n) }

func (c *compact) text(id int, s string) { c.field(id, thriftBytes); c.bytes(s) }

// list opens a list of n elements, which follow without numbers.
func (c *compact) list(id, n, kind int) {
	c.field(id, thriftList)
	if n < 15 {
		c.out = append(c.out, byte(n)<<4|byte(kind))
		return
	}
	c.out = binary.AppendUvarint(append(c.out, 0xF0|byte(kind)), uint64(n))
}
