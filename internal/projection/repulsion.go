package projection

import (
	"context"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/barneshut"
	"gonum.org/v1/gonum/spatial/r2"
	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// exactUpTo is how many items are compared each with each.
	exactUpTo = 2000
	// A group of items counts as one where its size is less than this share of its
	// distance. In space a smaller share costs several times as much.
	thetaInPlane = 0.5
	thetaInSpace = 0.8
	maxWorkers   = 4
	checkedEvery = 256 // items between two checks of the context
)

// repulsion finds what drives items apart.
type repulsion struct {
	result *mat.Dense
	totals []float64
	plane  []barneshut.Particle2
	space  []barneshut.Particle3
}

func newRepulsion(n, width int) *repulsion {
	r := &repulsion{result: mat.NewDense(n, width, nil), totals: make([]float64, n)}
	if n <= exactUpTo {
		return r
	}
	for i := range n {
		if width == 2 {
			r.plane = append(r.plane, &inPlane{row: i})
		} else {
			r.space = append(r.space, &inSpace{row: i})
		}
	}
	return r
}

// forces returns, for each place, the sum of (y_i − y_j) / (1 + d²)², and the sum of
// 1 / (1 + d²) over all pairs. The rows are only valid until the next call.
func (r *repulsion) forces(ctx context.Context, y *mat.Dense) (rows *mat.Dense, total float64, err error) {
	n, _ := y.Dims()
	of := r.exact(y)
	switch {
	case r.plane != nil:
		of, err = r.inPlane(y)
	case r.space != nil:
		of, err = r.inSpace(y)
	}
	if err != nil { // the places cannot be told apart yet: the exact sums need no tree
		of, err = r.exact(y), nil
	}
	inParallel(n, func(i int) {
		if i%checkedEvery == 0 && ctx.Err() != nil {
			return
		}
		r.totals[i] = of(i, r.result.RawRowView(i))
	})
	if ctx.Err() != nil {
		return nil, 0, context.Cause(ctx)
	}
	return r.result, max(floats.Sum(r.totals), 1e-300), err
}

// exact compares an item with every other one.
func (r *repulsion) exact(y *mat.Dense) func(i int, force []float64) float64 {
	raw := y.RawMatrix()
	return func(i int, force []float64) float64 {
		clear(force)
		width, total := raw.Cols, -1.0 // an item is at distance 0 from itself
		place := raw.Data[i*raw.Stride : i*raw.Stride+width]
		for at := 0; at < len(raw.Data); at += raw.Stride {
			other := raw.Data[at : at+width]
			square := 1.0
			for c := range place {
				square += (place[c] - other[c]) * (place[c] - other[c])
			}
			w := 1 / square
			total += w
			for c := range place {
				force[c] += w * w * (place[c] - other[c])
			}
		}
		return total
	}
}

// inPlane is a place in two dimensions.
type inPlane struct {
	row int
	at  r2.Vec
}

func (p *inPlane) Coord2() r2.Vec { return p.at }
func (p *inPlane) Mass() float64  { return 1 }

// inPlane approximates the forces in two dimensions.
func (r *repulsion) inPlane(y *mat.Dense) (func(i int, force []float64) float64, error) {
	for i, p := range r.plane {
		p.(*inPlane).at = r2.Vec{X: y.At(i, 0), Y: y.At(i, 1)} //nolint:forcetypeassert // newRepulsion made it
	}
	tree, err := barneshut.NewPlane(r.plane)
	if err != nil {
		return nil, err //nolint:wrapcheck // forces only wants to know that there is none
	}
	return func(i int, force []float64) float64 {
		total := 0.0
		self := r.plane[i]
		sum := tree.ForceOn(self, thetaInPlane, func(_, other barneshut.Particle2, _, mass float64, v r2.Vec) r2.Vec {
			if other == self {
				return r2.Vec{}
			}
			w := 1 / (1 + v.X*v.X + v.Y*v.Y)
			total += mass * w
			return r2.Scale(-mass*w*w, v)
		})
		force[0], force[1] = sum.X, sum.Y
		return total
	}, nil
}

// inSpace is a place in three dimensions.
type inSpace struct {
	row int
	at  r3.Vec
}

func (p *inSpace) Coord3() r3.Vec { return p.at }
func (p *inSpace) Mass() float64  { return 1 }

// inSpace approximates the forces in three dimensions.
func (r *repulsion) inSpace(y *mat.Dense) (func(i int, force []float64) float64, error) {
	for i, p := range r.space {
		p.(*inSpace).at = r3.Vec{X: y.At(i, 0), Y: y.At(i, 1), Z: y.At(i, 2)} //nolint:forcetypeassert // newRepulsion made it
	}
	tree, err := barneshut.NewVolume(r.space)
	if err != nil {
		return nil, err //nolint:wrapcheck // forces only wants to know that there is none
	}
	return func(i int, force []float64) float64 {
		total := 0.0
		self := r.space[i]
		sum := tree.ForceOn(self, thetaInSpace, func(_, other barneshut.Particle3, _, mass float64, v r3.Vec) r3.Vec {
			if other == self {
				return r3.Vec{}
			}
			w := 1 / (1 + v.X*v.X + v.Y*v.Y + v.Z*v.Z)
			total += mass * w
			return r3.Scale(-mass*w*w, v)
		})
		force[0], force[1], force[2] = sum.X, sum.Y, sum.Z
		return total
	}, nil
}

// inParallel calls do for 0 to n-1 on several processors. What do computes for one
// number depends on no other one, so the result does not depend on how many there are.
func inParallel(n int, do func(i int)) {
	workers := min(maxWorkers, runtime.GOMAXPROCS(0), max(1, n/checkedEvery))
	if workers == 1 {
		for i := range n {
			do(i)
		}
		return
	}
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := n * w / workers; i < n*(w+1)/workers; i++ {
				do(i)
			}
		})
	}
	group.Wait()
}
