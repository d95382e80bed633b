package main

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// example is one choice: which of the rows is right. A row is a list of features.
type example struct {
	rows  [][]float32
	right int
}

// scale is what each feature is divided by, so that the penalty is the same for all.
func scale(examples []example, use []int) []float64 {
	sum, square, n := make([]float64, len(use)), make([]float64, len(use)), 0.0
	for _, e := range examples {
		for _, row := range e.rows {
			for k, f := range use {
				x := float64(row[f])
				sum[k] += x
				square[k] += x * x
			}
			n++
		}
	}
	out := make([]float64, len(use))
	for k := range out {
		out[k] = 1
		if variance := square[k]/n - sum[k]*sum[k]/n/n; variance > 1e-9 { // the same everywhere, it says nothing
			out[k] = math.Sqrt(variance)
		}
	}
	return out
}

// learnOrder returns what each used feature is worth: it makes the right rows as likely as it
// can, by Newton's method, with a penalty on large weights. The same examples give the same
// weights.
func learnOrder(examples []example, use []int, penalty float64, weights []float64) []float64 {
	by := scale(examples, use)
	w := make([]float64, len(use))
	for k := range w {
		if weights != nil {
			w[k] = weights[k] * by[k]
		}
	}
	at := slope(examples, use, by, w, penalty)
	for range 30 {
		step := newton(at.gradient, at.curve)
		next := slope(examples, use, by, add(w, step), penalty)
		for next.likelihood < at.likelihood-1e-9 && longest(step) > 1e-4 { // it went too far
			for k := range step {
				step[k] /= 2
			}
			next = slope(examples, use, by, add(w, step), penalty)
		}
		w = add(w, step)
		at = next
		if longest(step) < 1e-3 {
			break
		}
	}
	for k := range w {
		w[k] /= by[k]
	}
	return w
}

// point is the logarithm of the likelihood for some weights, less the penalty, and its first
// and second derivatives, the second with the sign turned.
type point struct {
	likelihood float64
	gradient   []float64
	curve      *mat.SymDense
}

func slope(examples []example, use []int, by, w []float64, penalty float64) point {
	n, likelihood := len(use), 0.0
	gradient, curve := make([]float64, n), make([]float64, n*n)
	mean := make([]float64, n)
	var x, p []float64
	for _, e := range examples {
		x, p = x[:0], p[:0]
		highest := math.Inf(-1)
		for _, row := range e.rows {
			score := 0.0
			for k, f := range use {
				v := float64(row[f]) / by[k]
				x = append(x, v)
				score += v * w[k]
			}
			p = append(p, score)
			highest = math.Max(highest, score)
		}
		sum := 0.0
		likelihood += p[e.right] - highest
		for i := range p {
			p[i] = math.Exp(p[i] - highest)
			sum += p[i]
		}
		likelihood -= math.Log(sum)
		clear(mean)
		for i := range p {
			p[i] /= sum
			for k := range mean {
				mean[k] += p[i] * x[i*n+k]
			}
		}
		for k := range gradient {
			gradient[k] += x[e.right*n+k] - mean[k]
		}
		for i := range p {
			if p[i] < 1e-4 {
				continue // adds nothing that is seen
			}
			for k := range n {
				d := p[i] * (x[i*n+k] - mean[k])
				for l := k; l < n; l++ {
					curve[k*n+l] += d * (x[i*n+l] - mean[l])
				}
			}
		}
	}
	for k := range w {
		likelihood -= penalty / 2 * w[k] * w[k]
		gradient[k] -= penalty * w[k]
		curve[k*n+k] += penalty
	}
	return point{likelihood, gradient, mat.NewSymDense(n, curve)}
}

// learnAnswer returns the weights and the bias that tell the examples whose right is 1 from
// those whose right is 0. They have one row each.
func learnAnswer(examples []example, use []int, penalty float64) (weights []float64, bias float64) {
	by := scale(examples, use)
	n := len(use) + 1 // the last is the bias
	w, x := make([]float64, n), make([]float64, n)
	for range 25 {
		gradient, curve := make([]float64, n), make([]float64, n*n)
		for _, e := range examples {
			score := 0.0
			for k, f := range use {
				x[k] = float64(e.rows[0][f]) / by[k]
			}
			x[n-1] = 1
			for k := range x {
				score += x[k] * w[k]
			}
			p := 1 / (1 + math.Exp(-score))
			for k := range x {
				gradient[k] += (float64(e.right) - p) * x[k]
				for l := k; l < n; l++ {
					curve[k*n+l] += p * (1 - p) * x[k] * x[l]
				}
			}
		}
		sym := mat.NewSymDense(n, curve)
		for k := range w {
			if k < n-1 {
				gradient[k] -= penalty * w[k]
			}
			sym.SetSym(k, k, sym.At(k, k)+penalty)
		}
		step := newton(gradient, sym)
		w = add(w, step)
		if longest(step) < 1e-6 {
			break
		}
	}
	for k := range by {
		w[k] /= by[k]
	}
	return w[:n-1], w[n-1]
}

func newton(gradient []float64, curve *mat.SymDense) []float64 {
	var factors mat.Cholesky
	if !factors.Factorize(curve) {
		panic("the penalty does not make the curve positive")
	}
	var step mat.VecDense
	if err := factors.SolveVecTo(&step, mat.NewVecDense(len(gradient), gradient)); err != nil {
		panic(err)
	}
	return step.RawVector().Data
}

func add(w, step []float64) []float64 {
	out := make([]float64, len(w))
	for k := range w {
		out[k] = w[k] + step[k]
	}
	return out
}

func longest(step []float64) float64 {
	most := 0.0
	for _, x := range step {
		most = math.Max(most, math.Abs(x))
	}
	return most
}
