package api_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// TestQuestionsComeBack checks that what the client asks is what the server is asked: each
// member of a question goes into its body and out of it again, and of one that says nothing
// only its names are sent.
func TestQuestionsComeBack(t *testing.T) {
	t.Parallel()
	comesBack(t, func(q questions.SearchQuery) any { return api.SearchRequestOf(q) }, api.SearchRequest.Question)
	comesBack(t, func(q questions.RelatedQuery) any { return api.RelatedRequestOf(q) }, api.RelatedRequest.Question)
	comesBack(t, func(q questions.ConnectQuery) any { return api.ConnectRequestOf(q) }, api.ConnectRequest.Question)
	comesBack(t, func(q questions.ConnectBySearchQuery) any { return api.ConnectBySearchRequestOf(q) }, api.ConnectBySearchRequest.Question)
	comesBack(t, func(q questions.NeighborhoodQuery) any { return api.NeighborhoodRequestOf(q) }, api.NeighborhoodRequest.Question)
	comesBack(t, func(q questions.EnrichedPathQuery) any { return api.EnrichedPathRequestOf(q) }, api.EnrichedPathRequest.Question)
	comesBack(t, func(q questions.Question) any { return api.AskRequestOf(q) }, api.AskRequest.Asks)
	comesBack(t, func(q questions.FindQuery) any { return api.FindRequestOf(q) }, api.FindRequest.Asks)
	comesBack(t, func(q questions.AroundQuery) any { return api.AroundRequestOf(q) }, api.AroundRequest.Question)
}

func comesBack[Q, B any](t *testing.T, ask func(Q) any, read func(B) Q) {
	t.Helper()
	var nothing, full Q
	if sent, err := json.Marshal(ask(nothing)); err != nil || strings.Contains(string(sent), "0") || strings.Contains(string(sent), "false") {
		t.Errorf("%T that says nothing is sent as %s, %v: the server's defaults are overruled", nothing, sent, err)
	}
	fill(reflect.ValueOf(&full).Elem())
	sent, err := json.Marshal(ask(full))
	if err != nil {
		t.Fatal(err)
	}
	var body B
	if err := json.Unmarshal(sent, &body); err != nil {
		t.Fatal(err)
	}
	if got := read(body); !reflect.DeepEqual(got, full) {
		t.Errorf("asked %+v\nread  %+v\nsent  %s", full, got, sent)
	}
}

// fill gives every member of a value one that is not zero.
func fill(v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Date(2026, time.January, 31, 0, 0, 0, 0, time.UTC)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, member := range v.Fields() {
			fill(member)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.String:
		v.SetString("out")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Float64:
		v.SetFloat(0.5)
	default:
		panic("a question has a " + v.Kind().String())
	}
}
