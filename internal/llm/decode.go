package llm

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/kappagraph/kappa/knowledge"
)

// answerForm is an answer as models write it. Whether they keep to the schema is up to
// them: of a value of another kind only that value is lost.
type answerForm struct {
	Concepts []struct {
		ID          loose `json:"concept_id"`
		Label       loose `json:"label"`
		Description loose `json:"description"`
		SearchTerms any   `json:"search_terms"`
	} `json:"concepts"`
	Instances []struct {
		Concept loose `json:"concept_id"`
		Quote   loose `json:"quote"`
	} `json:"instances"`
	Relationships []struct {
		From       loose `json:"from_concept_id"`
		To         loose `json:"to_concept_id"`
		Type       loose `json:"relationship_type"`
		Direction  loose `json:"direction_semantics"`
		Confidence any   `json:"confidence"`
	} `json:"relationships"`
}

// loose is a text for which a model may have written a number.
type loose string

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (l *loose) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*l = loose(text)
		return nil
	}
	if number := json.Number(""); json.Unmarshal(data, &number) == nil {
		*l = loose(number)
	}
	return nil
}

// decode reads an answer. ok is false when it is no such object. That quotes are in the
// passage and that the ends of relationships exist is checked where every extraction is.
func decode(text string) (e knowledge.Extraction, ok bool) {
	var form answerForm
	body := object(text)
	if body == "" || json.Unmarshal([]byte(body), &form) != nil || !hasMember(body) {
		return knowledge.Extraction{}, false
	}
	for _, c := range form.Concepts {
		e.Concepts = append(e.Concepts, knowledge.ExtractedConcept{
			Key: string(c.ID), Label: string(c.Label), Description: string(c.Description), SearchTerms: texts(c.SearchTerms), Weight: 1,
		})
	}
	for _, i := range form.Instances {
		e.Instances = append(e.Instances, knowledge.ExtractedInstance{Concept: string(i.Concept), Quote: string(i.Quote)})
	}
	for _, r := range form.Relationships {
		confidence, isNumber := r.Confidence.(float64)
		if !isNumber {
			confidence = math.NaN() // stands for a missing one
		}
		e.Relationships = append(e.Relationships, knowledge.ExtractedRelationship{
			From: string(r.From), To: string(r.To), Type: string(r.Type), Direction: knowledge.Direction(strings.ToLower(string(r.Direction))), Confidence: confidence,
		})
	}
	return e, true
}

// hasMember reports whether an object is meant as an extraction: an error that a server
// answers as JSON, or any other object, would read as a passage without concepts.
func hasMember(body string) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(body), &members) != nil {
		return false
	}
	_, has := members["concepts"]
	return has
}

// object returns the JSON object of an answer: models that are asked in words like to put
// it into a fence, or a sentence before it.
func object(text string) string {
	if i := strings.LastIndex(text, "</think>"); i >= 0 {
		text = text[i:]
	}
	start, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if start < 0 || end < start {
		return ""
	}
	return text[start : end+1]
}

// texts returns the texts of a list.
func texts(value any) []string {
	list, _ := value.([]any)
	var out []string
	for _, v := range list {
		if s, isText := v.(string); isText {
			out = append(out, s)
		}
	}
	return out
}
