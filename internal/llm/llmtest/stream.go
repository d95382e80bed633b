package llmtest

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"regexp"
	"strings"
)

// piece is how many bytes of an answer an event has.
const piece = 24

// stream returns the events in which a provider streams a reply.
func stream(path string, r Reply) (contentType string, events []string) {
	var parts []string
	for text := r.Text; text != ""; {
		n := min(piece, len(text))
		parts, text = append(parts, text[:n]), text[n:]
	}
	output := len(r.Text) / 4
	switch path {
	case "/messages":
		return "text/event-stream", anthropicEvents(parts, r, output)
	case "/api/chat":
		return "application/x-ndjson", ollamaEvents(parts, r, output)
	}
	return "text/event-stream", openAIEvents(parts, r, output)
}

func event(name string, value any) string {
	data, _ := json.Marshal(value)
	if name == "" {
		return "data: " + string(data) + "\n\n"
	}
	return "event: " + name + "\ndata: " + string(data) + "\n\n"
}

type object = map[string]any

func openAIEvents(parts []string, r Reply, output int) []string {
	chunk := func(delta object, finish any) string {
		return event("", object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}, "usage": nil})
	}
	events := []string{chunk(object{"role": "assistant", "content": ""}, nil)}
	for _, p := range parts {
		events = append(events, chunk(object{"content": p}, nil))
	}
	if r.Failure != "" {
		return append(events, event("", object{"error": object{"message": r.Failure, "type": "server_error"}}))
	}
	finish := "stop"
	switch {
	case r.Cut:
		finish = "length"
	case r.Refused:
		events = append(events, chunk(object{"refusal": "I cannot help with that."}, nil))
	}
	return append(events, chunk(object{}, finish),
		event("", object{"choices": []object{}, "usage": object{"prompt_tokens": r.Input, "completion_tokens": output}}), "data: [DONE]\n\n")
}

func anthropicEvents(parts []string, r Reply, output int) []string {
	events := []string{
		event("message_start", object{"type": "message_start", "message": object{"id": "msg_1", "role": "assistant", "usage": object{"input_tokens": r.Input, "output_tokens": 1}}}),
		event("content_block_start", object{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}}),
		event("ping", object{"type": "ping"}),
	}
	for _, p := range parts {
		events = append(events, event("content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": p}}))
	}
	if r.Failure != "" {
		return append(events, event("error", object{"type": "error", "error": object{"type": "overloaded_error", "message": r.Failure}}))
	}
	stop := "end_turn"
	switch {
	case r.Cut:
		stop = "max_tokens"
	case r.Refused:
		stop = "refusal"
	}
	return append(events,
		event("content_block_stop", object{"type": "content_block_stop", "index": 0}),
		event("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop}, "usage": object{"output_tokens": output}}),
		event("message_stop", object{"type": "message_stop"}))
}

func ollamaEvents(parts []string, r Reply, output int) []string {
	line := func(value object) string {
		data, _ := json.Marshal(value)
		return string(data) + "\n"
	}
	var events []string
	for _, p := range parts {
		events = append(events, line(object{"model": "m", "message": object{"role": "assistant", "content": p}, "done": false}))
	}
	if r.Failure != "" {
		return append(events, line(object{"error": r.Failure}))
	}
	reason := "stop"
	if r.Cut {
		reason = "length"
	}
	return append(events, line(object{"model": "m", "message": object{"role": "assistant", "content": ""}, "done": true, "done_reason": reason, "prompt_eval_count": r.Input, "eval_count": output}))
}

// name is a word that begins with a capital, which Read takes for a concept.
var name = regexp.MustCompile(`\b[A-Z][a-z]{2,}\b`)

// Read reads a passage as a model might: each word with a capital is a concept, and the
// next one is related to it.
func Read(passage string) string {
	var concepts, instances, relationships []object
	known := map[string]bool{}
	last := ""
	for _, word := range name.FindAllString(passage, -1) {
		id := strings.ToLower(word)
		if known[id] || len(known) == 20 {
			continue
		}
		known[id] = true
		concepts = append(concepts, object{"concept_id": id, "label": word, "description": "", "search_terms": []string{}})
		instances = append(instances, object{"concept_id": id, "quote": word})
		if last != "" {
			relationships = append(relationships, object{"from_concept_id": last, "to_concept_id": id, "relationship_type": "RELATED_TO", "direction_semantics": "outward", "confidence": 0.9})
		}
		last = id
	}
	list := func(l []object) []object {
		if l == nil {
			return []object{}
		}
		return l
	}
	answer, _ := json.Marshal(object{"concepts": list(concepts), "instances": list(instances), "relationships": list(relationships)})
	return string(answer)
}

// Vector returns an embedding of a text that depends on its words alone, of length 1.
func Vector(text string, dimensions int) []float64 {
	v := make([]float64, dimensions)
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		h := fnv.New64a()
		_, _ = h.Write([]byte(strings.Trim(word, ".,;")))
		seed := h.Sum64()
		for i := range v {
			seed = seed*6364136223846793005 + 1442695040888963407
			v[i] += float64(int64(seed>>33))/float64(1<<30) - 1
		}
	}
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	if sum == 0 {
		v[0], sum = 1, 1
	}
	for i := range v {
		v[i] /= math.Sqrt(sum)
	}
	return v
}
