package llmtest

import "encoding/json"

// whole returns a reply as a server sends it that does not stream: one JSON value, on
// several lines.
func whole(path string, r Reply) string {
	output := len(r.Text) / 4
	var value object
	switch path {
	case "/messages":
		stop := "end_turn"
		switch {
		case r.Cut:
			stop = "max_tokens"
		case r.Refused:
			stop = "refusal"
		}
		value = object{
			"id": "msg_1", "type": "message", "role": "assistant", "content": []object{{"type": "text", "text": r.Text}},
			"stop_reason": stop, "usage": object{"input_tokens": r.Input, "output_tokens": output},
		}
	case "/api/chat":
		reason := "stop"
		if r.Cut {
			reason = "length"
		}
		value = object{
			"model": "m", "message": object{"role": "assistant", "content": r.Text}, "done": true, "done_reason": reason,
			"prompt_eval_count": r.Input, "eval_count": output,
		}
	default:
		message, finish := object{"role": "assistant", "content": r.Text}, "stop"
		switch {
		case r.Cut:
			finish = "length"
		case r.Refused:
			message["refusal"] = "I cannot help with that."
		}
		value = object{
			"id": "chatcmpl-1", "object": "chat.completion", "choices": []object{{"index": 0, "message": message, "finish_reason": finish}},
			"usage": object{"prompt_tokens": r.Input, "completion_tokens": output},
		}
	}
	text, _ := json.MarshalIndent(value, "", "  ")
	return string(text) + "\n"
}
