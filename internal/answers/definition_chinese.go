package answers

import (
	"strings"
	"unicode"
)

// hanFirst reports a sentence that begins with a Chinese character.
func hanFirst(s string) bool {
	for _, r := range s {
		if unicode.IsLetter(r) {
			return unicode.Is(unicode.Han, r)
		}
	}
	return false
}

// chinese keeps the subject of "X是一种…", "X是指…", "X，又称Y，是…" and "X（Y）是…".
func (d *definer) chinese(s string) {
	at := strings.Index(s, "是")
	if at <= 0 || at > 90 {
		return
	}
	subject, rest := s[:at], s[at+len("是"):]
	if strings.ContainsAny(subject, "。；") || hasAny(subject, "这", "那", "它", "他", "她", "我", "你", "因为", "如果", "但", "不", "于", "就", "也", "都", "只", "更", "正", "还", "的时候", "其") {
		return
	}
	var also []string
	if main, inner, ok := strings.Cut(subject, "（"); ok {
		also = append(also, strings.FieldsFunc(strings.TrimSuffix(strings.TrimRight(inner, "，, "), "）"), func(r rune) bool { return strings.ContainsRune("，、；,;", r) })...)
		subject = main
	}
	parts := strings.FieldsFunc(subject, func(r rune) bool { return r == '，' || r == ',' })
	if len(parts) == 0 || len(parts) > 3 || len([]rune(parts[0])) > 12 {
		return
	}
	if !hasPrefixAny(rest, "一", "指", "由", "用", "位于", "中国", "世界", "美国") && len(also)+len(parts) < 2 {
		return
	}
	d.add(parts[0])
	for _, name := range append(parts[1:], also...) {
		for _, lead := range []string{"又称为", "又称", "也称为", "也称", "亦称", "简称", "又名", "也叫", "即", "缩写为", "英语：", "英文："} {
			if after, ok := strings.CutPrefix(strings.TrimSpace(name), lead); ok {
				d.add(after)
				break
			}
		}
	}
}

func hasAny(s string, some ...string) bool {
	for _, one := range some {
		if strings.Contains(s, one) {
			return true
		}
	}
	return false
}

func hasPrefixAny(s string, some ...string) bool {
	for _, one := range some {
		if strings.HasPrefix(s, one) {
			return true
		}
	}
	return false
}
