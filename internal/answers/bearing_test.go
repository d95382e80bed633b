package answers

import (
	"slices"
	"testing"
)

func TestMissing(t *testing.T) {
	for _, c := range []struct {
		question string
		lacks    []string
		want     []string
	}{
		{"Who built the Eiffel Tower in Brno?", []string{"eiffel", "tower", "brno"}, []string{"Eiffel Tower", "Brno"}},
		{"Who built the Eiffel Tower?", []string{"tower"}, []string{"Tower"}},
		{"How do QuuxBar lanes run?", []string{"quuxbar", "run"}, []string{"QuuxBar", "run"}},
		{"runs and running", []string{"run"}, []string{"runs", "running"}},
		{"Brno and brno", []string{"brno"}, []string{"Brno"}},
		{"Café or not", []string{"cafe"}, []string{"Café"}},
		{"nothing", nil, []string{}},
	} {
		if got := Missing(c.question, true, c.lacks); !slices.Equal(got, c.want) {
			t.Errorf("%q without %q lacks %q, want %q", c.question, c.lacks, got, c.want)
		}
	}
}

func TestBearing(t *testing.T) {
	for _, c := range []struct {
		sentence string
		passages []string
		want     []int
	}{
		{"The Rhine is 1,230 km long.", []string{"The Rhine has 1230 km.", "The Rhine flows."}, []int{0}},
		{"The Rhine is 1,232 km long.", []string{"The Rhine has 1230 km."}, nil},
		{"Anna Kolbe built it.", []string{"It was built by A. Kolbe.", "Anna planned it."}, []int{0, 1}},
		{"Anna Kolbe built it.", []string{"It was built by A. Kolbe."}, nil},
		{"It has two million people.", []string{"2,000,000 people live there."}, []int{0}},
		{"It has 2 million people.", []string{"Two million people live there."}, []int{0}},
		{"It was built in 1961.", []string{"It was built from 1958 to 1961."}, []int{0}},
		{"It was built in 1962.", []string{"It was built from 1958 to 1961."}, nil},
		{"It is quick.", []string{"So it is.", "No."}, []int{0, 1}},
		{"Lanes wake up.", []string{"The lane wakes up."}, []int{0}},
		{"It runs on PostgreSQL 15.", []string{"It needs PostgreSQL 15 or newer."}, []int{0}},
		{"It runs on PostgreSQL 16.", []string{"It needs PostgreSQL 15 or newer."}, nil},
		{"The server uses LISTEN.", []string{"Servers LISTEN to it."}, []int{0}},
		{"Der Turm steht in Paris und hat 300 Stufen.", []string{"The tower of Paris has 300 steps."}, []int{0}},
		{"Der Turm steht in Paris und hat 301 Stufen.", []string{"The tower of Paris has 300 steps."}, nil},
		{"塔高300米。", []string{"The tower is 300 m high."}, []int{0}},
		{"塔高301米。", []string{"The tower is 300 m high."}, nil},
		{"It is so.", nil, nil},
	} {
		if got := Bearing(c.sentence, c.passages); !slices.Equal(got, c.want) {
			t.Errorf("%q is borne by %v of %q, want %v", c.sentence, got, c.passages, c.want)
		}
	}
}
