package relations

import (
	"bytes"
	"compress/flate"
	"encoding/gob"
	"fmt"
	"slices"
)

// stored is a model as a file has it, with features in their order, so that the same model gives the
// same bytes.
type stored struct {
	Kinds, Relations storedLinear
	Sure, Related    [][2]float64
}

// storedLinear is a linear model in a file: of each feature how many weights it has.
type storedLinear struct {
	Classes  []string
	Numbers  []int // of the examples of each class
	Bias     []float32
	Scale    float32
	Features []uint32
	Counts   []uint8
	At       []uint8
	Steps    []int8
}

// Encode returns the bytes of m.
func (m *Model) Encode() []byte {
	s := stored{Kinds: m.kinds.stored(), Relations: m.relations.stored(), Sure: points(m.sure), Related: points(m.related)}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err == nil {
		err = gob.NewEncoder(w).Encode(s)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // a buffer takes all
	}
	return b.Bytes()
}

// stored returns l as a file has it.
func (l *linear) stored() storedLinear {
	s := storedLinear{Classes: l.Classes, Numbers: l.Counts, Bias: l.Bias, Scale: l.Scale}
	for h := range l.Weights {
		s.Features = append(s.Features, h)
	}
	slices.Sort(s.Features)
	for _, h := range s.Features {
		s.Counts = append(s.Counts, uint8(len(l.Weights[h])))
		for _, w := range l.Weights[h] {
			s.At, s.Steps = append(s.At, w.Class), append(s.Steps, w.Steps)
		}
	}
	return s
}

// Decode reads a model that Encode has written.
func Decode(file []byte) (*Model, error) {
	var s stored
	if err := gob.NewDecoder(flate.NewReader(bytes.NewReader(file))).Decode(&s); err != nil {
		return nil, fmt.Errorf("read the weights of relationships: %w", err)
	}
	return &Model{kinds: s.Kinds.linear(), relations: s.Relations.linear(), sure: curve(s.Sure), related: curve(s.Related)}, nil
}

// points returns a curve as a file has it.
func points(curve []knot) [][2]float64 {
	var out [][2]float64
	for _, k := range curve {
		out = append(out, [2]float64{k.at, k.worth})
	}
	return out
}

// curve returns the curve of a file.
func curve(points [][2]float64) []knot {
	var out []knot
	for _, p := range points {
		out = append(out, knot{p[0], p[1]})
	}
	return out
}

// linear returns the model of a file.
func (s *storedLinear) linear() *linear {
	l := &linear{Classes: s.Classes, Counts: s.Numbers, Bias: s.Bias, Scale: s.Scale, Weights: make(map[uint32][]weight, len(s.Features))}
	all := make([]weight, len(s.At))
	for i := range all {
		all[i] = weight{s.At[i], s.Steps[i]}
	}
	at := 0
	for i, h := range s.Features {
		l.Weights[h] = all[at : at+int(s.Counts[i])]
		at += int(s.Counts[i])
	}
	return l
}
