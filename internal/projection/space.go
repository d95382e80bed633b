package projection

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/kappagraph/kappa/corpus/models"
)

// checkedEvery is how many items are worked on between two checks of the context.
const checkedEvery = 64

// Space is items as they are compared: their vectors, one after the other, with 4 bytes
// for each number. Its methods may be called from many goroutines.
type Space struct {
	width   int
	values  []float32
	squares []float32 // of the lengths
}

// NewSpace returns the vectors, which have one length, as o compares them. The angle
// between two vectors is the distance between them at length 1. It forgets each vector in
// the slice once it has it, so that most of the memory is needed once.
func NewSpace(vectors []models.Embedding, o Options) *Space {
	s := &Space{width: len(vectors[0]), squares: make([]float32, len(vectors))}
	s.values = make([]float32, len(vectors)*s.width)
	mean := make([]float64, s.width)
	for i, v := range vectors {
		copy(s.at(i), v)
		vectors[i] = nil
		for k, value := range s.at(i) {
			mean[k] += float64(value)
		}
	}
	for i := range vectors {
		row := s.at(i)
		if o.Center {
			for k := range row {
				row[k] -= float32(mean[k] / float64(len(vectors)))
			}
		}
		if s.squares[i] = dot(row, row); s.squares[i] > 0 && (o.NormalizeL2 || !o.Euclidean) {
			length := float32(math.Sqrt(float64(s.squares[i])))
			for k := range row {
				row[k] /= length
			}
			s.squares[i] = dot(row, row)
		}
	}
	return s
}

// Len returns how many items there are.
func (s *Space) Len() int { return len(s.squares) }

// at returns the vector of an item.
func (s *Space) at(i int) []float32 { return s.values[i*s.width : (i+1)*s.width] }

// distance returns the squared distance of two items.
func (s *Space) distance(i, j int) float32 {
	return max(0, s.squares[i]+s.squares[j]-2*dot(s.at(i), s.at(j)))
}

// distances fills in the squared distances of an item from all.
func (s *Space) distances(ctx context.Context, i int, all []float32) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for j := range all {
		all[j] = s.distance(i, j)
	}
	return nil
}

// dot returns the product of two rows of the same length.
func dot(a, b []float32) float32 {
	return blas32.Dot(blas32.Vector{N: len(a), Inc: 1, Data: a}, blas32.Vector{N: len(b), Inc: 1, Data: b})
}
