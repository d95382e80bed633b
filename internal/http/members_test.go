package http

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kappagraph/kappa"
)

// memberSample is a body with what the check meets.
type memberSample struct {
	Slots *int            `json:"max_slots,omitempty"`
	Names []string        `json:"names,omitempty"`
	Inner *memberInner    `json:"inner,omitempty"`
	Many  []memberInner   `json:"many,omitempty"`
	Data  json.RawMessage `json:"data,omitempty"`
}

type memberInner struct {
	Key string `json:"key,omitempty"`
}

// brokenMembers returns what the check says about a body.
func brokenMembers(body string) []kappa.FieldError {
	schemas := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	check := memberCheck{dec: json.NewDecoder(strings.NewReader(body)), schemas: schemas}
	check.dec.UseNumber()
	check.value(nil, schemas.Schema(reflect.TypeFor[memberSample](), true, ""))
	return check.broken
}

func TestMembers(t *testing.T) {
	for body, want := range map[string]string{
		`{"max_slots":1,"names":["a","a"],"inner":{"key":"x"},"many":[{"key":"x"},{"key":"x"}],"data":{"Key":1,"key":2,"MAX_SLOTS":{}}}`: "",
		`{"unknown":1,"inner":{"unknown":1}}`: "", // for the rules of the route
		`{"max_slots":`:                       "", // for what reads the body
		`[1e999`:                              "[0]: must be below 1e309 in size, got 1e999",
		`{"MAX_SLOTS":1}`:                     "MAX_SLOTS: is not a known field; did you mean max_slots?",
		`{"max_\u017flots":1}`:                "max_ſlots: is not a known field; did you mean max_slots?",
		`{"inner":{"KEY":"x"}}`:               "inner.KEY: is not a known field; did you mean key?",
		`{"many":[{},{"Key":"x"}]}`:           "many[1].Key: is not a known field; did you mean key?",
		`{"max_slots":1,"max_slots":2}`:       "max_slots: must be given once",
		`{"max_slots":1,"max\u005fslots":2}`:  "max_slots: must be given once",
		`{"data":{"a":[{"":1,"":2}]}}`:        "data.a[0].: must be given once",
		`{"data":[1e308,-1e309]}`:             "data[1]: must be below 1e309 in size, got -1e309",
	} {
		got := ""
		if err := kappa.Invalid(brokenMembers(body)...); err != nil {
			got = kappa.ErrorMessage(err)
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
	if broken := brokenMembers(`{` + strings.Repeat(`"a":1,`, 100) + `"a":1}`); len(broken) != maxBrokenMembers {
		t.Errorf("%d members are named, want %d", len(broken), maxBrokenMembers)
	}
	deep := strings.Repeat(`{"data":`, 100_000)
	if broken := brokenMembers(deep); len(broken) != 0 {
		t.Errorf("a deep body breaks %v", broken[0])
	}
}

// TestUnknownMembersWithin describes a body whose objects stand in objects, in lists and in
// maps: each of them refuses what it does not describe, and what describes nothing takes all.
func TestUnknownMembersWithin(t *testing.T) {
	type inner struct {
		Key  string         `json:"key"`
		Free map[string]any `json:"free"`
	}
	type outer struct {
		One    inner            `json:"one"`
		Many   []inner          `json:"many"`
		ByName map[string]inner `json:"by_name"`
		Same   *struct {
			Deep inner    `json:"deep"`
			_    struct{} `additionalProperties:"false"`
		} `json:"same"`
	}
	r := newRouter(Config{Auth: nil, Limits: Limits{}})
	schemas := r.document().Components.Schemas
	body := schemas.Schema(reflect.TypeFor[outer](), true, "outer")
	r.refuseUnknown(body)
	for name, s := range schemas.Map() {
		if len(s.Properties) > 0 && s.AdditionalProperties != false {
			t.Errorf("%s takes members that it does not describe: %v", name, s.AdditionalProperties)
		}
	}
	if free := schemas.Map()["Inner"].Properties["free"]; free.AdditionalProperties == false {
		t.Error("an object of any members refuses them")
	}
}

// FuzzMembers decodes a body that passed: a field has a value only from the member that
// has exactly its name.
func FuzzMembers(f *testing.F) {
	for _, body := range []string{`{"max_slots":1,"inner":{"key":"x"}}`, `{"Max_Slots":1}`, `{"names":["a"],"names":null}`, `{"ｍax_slots":1}`, `{"inner":{"\u212aey":"x"}}`} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var exact map[string]json.RawMessage
		var fields memberSample
		if len(brokenMembers(body)) != 0 || json.Unmarshal([]byte(body), &exact) != nil || json.Unmarshal([]byte(body), &fields) != nil {
			return
		}
		for name, set := range map[string]bool{
			"max_slots": fields.Slots != nil, "names": fields.Names != nil, "inner": fields.Inner != nil,
			"many": fields.Many != nil, "data": fields.Data != nil,
		} {
			if _, given := exact[name]; set && !given {
				t.Errorf("%s is set by another member of %q", name, body)
			}
		}
		if fields.Inner == nil || fields.Inner.Key == "" {
			return
		}
		var inner map[string]json.RawMessage
		if json.Unmarshal(exact["inner"], &inner) != nil || inner["key"] == nil {
			t.Errorf("inner.key is set by another member of %q", body)
		}
	})
}
