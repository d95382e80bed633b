package index

// top keeps the values of the greatest scores above 0.
type top[T any] struct {
	most int
	heap []scored[T] // the least first
}

type scored[T any] struct {
	score float32
	value T
}

func newTop[T any](most int) *top[T] {
	return &top[T]{most: most, heap: make([]scored[T], 0, min(most, 1024))}
}

// least returns the score that a value must exceed to be kept.
func (t *top[T]) least() float32 {
	if len(t.heap) < t.most {
		return 0
	}
	if t.most == 0 {
		return 1 << 30
	}
	return t.heap[0].score
}

// push keeps a value, which may push out the least. Its score exceeds the least.
func (t *top[T]) push(score float32, value T) {
	one := scored[T]{score, value}
	if len(t.heap) < t.most {
		t.heap = append(t.heap, one)
		t.up(len(t.heap) - 1)
		return
	}
	t.heap[0] = one
	t.down()
}

func (t *top[T]) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if t.heap[parent].score <= t.heap[i].score {
			return
		}
		t.heap[parent], t.heap[i] = t.heap[i], t.heap[parent]
		i = parent
	}
}

func (t *top[T]) down() {
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.heap); child++ {
			if t.heap[child].score < t.heap[least].score {
				least = child
			}
		}
		if least == i {
			return
		}
		t.heap[least], t.heap[i] = t.heap[i], t.heap[least]
		i = least
	}
}

// values returns what was kept, in no order.
func (t *top[T]) values() []T {
	all := make([]T, len(t.heap))
	for i, one := range t.heap {
		all[i] = one.value
	}
	return all
}
