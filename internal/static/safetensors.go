package static

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// mostHeader bounds the header of a file, in bytes.
const mostHeader = 16 << 20

// tensor is where a matrix or a list of numbers stands in a file.
type tensor struct {
	Kind   string   `json:"dtype"`
	Shape  []int64  `json:"shape"`
	Within [2]int64 `json:"data_offsets"` // from the end of the header
}

// tensors is a file in the format of safetensors: the length of a header, the header, which
// says what stands where, and the numbers.
type tensors struct {
	file  *os.File
	base  int64 // where the numbers begin
	named map[string]tensor
}

// openTensors opens a file and checks that what its header names is there.
func openTensors(path string) (*tensors, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	t := &tensors{file: file}
	if err := t.readHeader(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s is no file of safetensors: %w", path, err), file.Close())
	}
	return t, nil
}

func (t *tensors) readHeader() error {
	info, err := t.file.Stat()
	if err != nil {
		return err
	}
	var length [8]byte
	if _, err := t.file.ReadAt(length[:], 0); err != nil {
		return fmt.Errorf("read the length of its header: %w", err)
	}
	size := binary.LittleEndian.Uint64(length[:])
	if size > mostHeader || int64(size) > info.Size()-8 {
		return fmt.Errorf("its header of %d bytes does not fit into it", size)
	}
	header := make([]byte, size)
	if _, err := t.file.ReadAt(header, 8); err != nil {
		return fmt.Errorf("read its header: %w", err)
	}
	var named map[string]json.RawMessage
	if err := json.Unmarshal(header, &named); err != nil {
		return fmt.Errorf("decode its header: %w", err)
	}
	t.base, t.named = 8+int64(size), map[string]tensor{}
	for name, raw := range named {
		if name == "__metadata__" {
			continue
		}
		var at tensor
		if err := json.Unmarshal(raw, &at); err != nil {
			return fmt.Errorf("decode its header at %q: %w", name, err)
		}
		if err := at.check(info.Size() - t.base); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		t.named[name] = at
	}
	return nil
}

// check returns an error unless a tensor stands within so many bytes.
func (t tensor) check(size int64) error {
	n := int64(width(t.Kind))
	if n == 0 {
		return nil // of a kind that is not read
	}
	for _, s := range t.Shape {
		if s < 0 || s > 0 && n > math.MaxInt64/s {
			return fmt.Errorf("a shape of %d is too large", t.Shape)
		}
		n *= s
	}
	if t.Within[0] < 0 || t.Within[1] > size || t.Within[1]-t.Within[0] != n {
		return fmt.Errorf("%d bytes are at %d, not the %d of its shape", t.Within[1]-t.Within[0], t.Within[0], n)
	}
	return nil
}

// width returns the bytes of a number, 0 for a kind that is not read.
func width(kind string) int {
	switch kind {
	case "F64", "I64":
		return 8
	case "F32", "I32":
		return 4
	case "F16", "BF16":
		return 2
	}
	return 0
}

// row reads row n of a matrix, or element n of a list, as numbers.
func (t *tensors) row(of tensor, n int64, into []float32, buffer []byte) error {
	size := int64(width(of.Kind))
	row := buffer[:int64(len(into))*size]
	if _, err := t.file.ReadAt(row, t.base+of.Within[0]+n*int64(len(row))); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read %s: %w", t.file.Name(), err)
	}
	for i := range into {
		into[i] = number(of.Kind, row[int64(i)*size:])
	}
	return nil
}

// number reads the number at the beginning of b.
func number(kind string, b []byte) float32 {
	switch kind {
	case "F64":
		return float32(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	case "F32":
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	case "I64":
		return float32(int64(binary.LittleEndian.Uint64(b)))
	case "I32":
		return float32(int32(binary.LittleEndian.Uint32(b)))
	case "BF16":
		return math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16)
	}
	return half(binary.LittleEndian.Uint16(b))
}

// half returns a number of 16 bits (IEEE 754 binary16).
func half(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch exponent {
	case 0: // zero, or too small for a leading one
		value := float32(fraction) / (1 << 24)
		return math.Float32frombits(math.Float32bits(value) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
