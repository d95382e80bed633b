package wire

import (
	"reflect"
	"strings"
	"testing"
)

// TestRW26_Grammar has every row of the grammar of slot groups.
func TestRW26_Grammar(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `at least one group is needed, e.g. "manual,*:4"`},
		{" \t\n", `at least one group is needed, e.g. "manual,*:4"`},
		{"manual", `group 1 "manual": ":count" is missing`},
		{"manual:", `group 1 "manual:": ":count" is missing`},
		{"a:1 manual,*", `group 2 "manual,*": ":count" is missing`},
		{":3", `group 1 ":3": empty queue name`},
		{"a,:3", `group 1 "a,:3": empty queue name`},
		{",a:3", `group 1 ",a:3": empty queue name`},
		{"a:0", `group 1 "a:0": count must be a whole number from 1 to 1000`},
		{"a:-1", `group 1 "a:-1": count must be a whole number from 1 to 1000`},
		{"a:+1", `group 1 "a:+1": count must be a whole number from 1 to 1000`},
		{"a:01", `group 1 "a:01": count must be a whole number from 1 to 1000`},
		{"a:1.5", `group 1 "a:1.5": count must be a whole number from 1 to 1000`},
		{"a:x", `group 1 "a:x": count must be a whole number from 1 to 1000`},
		{"a:1001", `group 1 "a:1001": count must be a whole number from 1 to 1000`},
		{"fast-lane:1", `group 1 "fast-lane:1": queue "fast-lane" may hold only letters, digits and _`},
		{"a@b:1", `group 1 "a@b:1": queue "a@b" may hold only letters, digits and _`},
		{"a:b:1", `group 1 "a:b:1": queue "a:b" may hold only letters, digits and _`},
		{"*,a:1", `group 1 "*,a:1": "*" must come last`},
		{"*>*:1", `group 1 "*>*:1": "*" must come last`},
		{"a,b>c:1", `group 1 "a,b>c:1": use either "," or ">"`},
		{"a:600 b:600", `at most 1000 slots in all groups together, got 1200`},
		{"x,:0 y", `group 1 "x,:0": empty queue name`}, // the first group, and its first rule
		{strings.Repeat("q", 65) + ":1", `may have at most 64 characters`},
	} {
		_, _, err := ParseGroups(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	want := []Group{{[]string{"fast_lane"}, 1}, {[]string{"manual", "*"}, 4}}
	for _, text := range []string{"fast_lane:1 manual,*:4", "\tfast_lane:1\n manual>*:4 "} {
		groups, warnings, err := ParseGroups(text)
		if err != nil || len(warnings) != 0 || !reflect.DeepEqual(groups, want) {
			t.Errorf("%q: %v %v %v", text, groups, warnings, err)
		}
	}
	if _, warnings, err := ParseGroups("a,b,a:1 c:1 c:2"); err != nil || len(warnings) != 2 {
		t.Errorf("what stands there twice: %q %v, want two warnings", warnings, err)
	}
}

func FuzzGroups(f *testing.F) {
	f.Add("fast_lane:1 manual,*:4")
	f.Add("a>b>*:1000")
	f.Fuzz(func(t *testing.T, text string) {
		groups, _, err := ParseGroups(text)
		if err != nil {
			return
		}
		again, _, err := ParseGroups(FormatGroups(groups))
		if err != nil || !reflect.DeepEqual(groups, again) {
			t.Errorf("%q is %v, which is printed and read as %v (%v)", text, groups, again, err)
		}
	})
}
