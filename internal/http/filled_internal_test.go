package http

import (
	"encoding/json"
	"reflect"
	"sync"
	"testing"
)

// Leaf is a part of a tree.
type Leaf struct {
	Names []string `json:"names"`
	N     int      `json:"n"`
}

type tree struct {
	Leaf
	Inner    Leaf              `json:"leaf"`
	Children []tree            `json:"children"`
	Pointer  *Leaf             `json:"pointer"`
	ByName   map[string]Leaf   `json:"by_name"`
	Rows     [][]int           `json:"rows"`
	Omitted  []string          `json:"omitted,omitempty"`
	Unasked  []Leaf            `json:"unasked" nullable:"true"`
	Raw      json.RawMessage   `json:"raw"`
	Bytes    []byte            `json:"bytes"`
	Hidden   []string          `json:"-"`
	Texts    map[string]string `json:"texts"`
	Any      any               `json:"any"`
}

// TestFilled: no list of an answer is null, and nothing that was answered with is changed.
func TestFilled(t *testing.T) {
	shared := []tree{{Pointer: &Leaf{}, Rows: [][]int{nil, {1}}}}
	given := tree{Children: shared, ByName: map[string]Leaf{"a": {N: 1}, "b": {Names: []string{"x"}}}, Unasked: []Leaf{{}}, Any: []string(nil)}
	const want = `{"leaf":{"names":[],"n":0},"children":[{"leaf":{"names":[],"n":0},"children":[],"pointer":{"names":[],"n":0},"by_name":null,"rows":[[],[1]],"unasked":null,"raw":null,"bytes":null,"texts":null,"any":null,"names":[],"n":0}],` +
		`"pointer":null,"by_name":{"a":{"names":[],"n":1},"b":{"names":["x"],"n":0}},"rows":[],"unasked":[{"names":[],"n":0}],"raw":null,"bytes":null,"texts":null,"any":null,"names":[],"n":0}`
	var same, plain any
	for range 2 { // the second time the form is known
		data, err := json.Marshal(filled(given))
		if err != nil || json.Unmarshal(data, &same) != nil || json.Unmarshal([]byte(want), &plain) != nil || !reflect.DeepEqual(sorted(t, same), sorted(t, plain)) {
			t.Errorf("%v\n%s\nwant\n%s", err, data, want)
		}
	}
	if shared[0].Children != nil || shared[0].Pointer.Names != nil || shared[0].Rows[0] != nil || given.ByName["a"].Names != nil {
		t.Error("what was answered with is changed")
	}
	for _, c := range []struct {
		v    any
		want string
	}{
		{7, "7"}, {"x", `"x"`}, {nil, "null"}, {(*tree)(nil), "null"}, {[]Leaf(nil), "[]"}, {&Leaf{}, `{"names":[],"n":0}`}, {map[string][]int{"a": nil}, `{"a":[]}`},
	} {
		if got := string(EncodeJSON(c.v)); got != c.want+"\n" {
			t.Errorf("%#v is %s, want %s", c.v, got, c.want)
		}
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { EncodeJSON(given) })
	}
	all.Wait()
}

// sorted is a value as JSON, with its members in order.
func sorted(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func BenchmarkFilled(b *testing.B) {
	list := make([]tree, 1000)
	for i := range list {
		list[i] = tree{Leaf: Leaf{Names: []string{"a"}}, Inner: Leaf{Names: []string{}}, Children: []tree{}, Rows: [][]int{}}
	}
	b.ReportAllocs()
	for b.Loop() {
		filled(list)
	}
}
