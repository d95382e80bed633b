package static

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxWord is from how many characters on a word is no token, unless the file says another.
const maxWord = 100

// tokenizer cuts a text into the tokens of a vocabulary, as WordPiece does: the longest
// beginning of a word that is a token, and then the longest of what is left (Schuster and
// Nakajima 2012, "Japanese and Korean Voice Search").
type tokenizer struct {
	vocabulary map[string]int
	rest       string // before a token that does not begin a word
	maxWord    int
	lower      bool
	accents    bool // stay
	chinese    bool // each character is a word
}

// tokenizerFile is tokenizer.json, as far as it is read.
type tokenizerFile struct {
	Normalizer *struct {
		Type    string `json:"type"`
		Lower   *bool  `json:"lowercase"`
		Strip   *bool  `json:"strip_accents"`
		Chinese *bool  `json:"handle_chinese_chars"`
	} `json:"normalizer"`
	PreTokenizer *struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type       string          `json:"type"`
		Unknown    string          `json:"unk_token"`
		Prefix     string          `json:"continuing_subword_prefix"`
		MaxWord    int             `json:"max_input_chars_per_word"`
		Vocabulary json.RawMessage `json:"vocab"`
	} `json:"model"`
}

// readTokenizer reads tokenizer.json. It returns an error for a tokenizer of another kind
// than WordPiece, whose tokens it would get wrong.
func readTokenizer(path string) (*tokenizer, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file tokenizerFile
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("decode %s: %w", path, err)
	}
	if kind := file.Model.Type; kind != "WordPiece" && (kind != "" || file.Model.Prefix == "") {
		return nil, fmt.Errorf("%s has a tokenizer of the kind %q; WordPiece is read", path, kind)
	}
	if n := file.Normalizer; n != nil && n.Type != "BertNormalizer" {
		return nil, fmt.Errorf("%s has a normalizer of the kind %q; BertNormalizer is read", path, n.Type)
	}
	if p := file.PreTokenizer; p != nil && p.Type != "BertPreTokenizer" {
		return nil, fmt.Errorf("%s has a pre_tokenizer of the kind %q; BertPreTokenizer is read", path, p.Type)
	}
	t := &tokenizer{rest: file.Model.Prefix, maxWord: file.Model.MaxWord}
	if err := json.Unmarshal(file.Model.Vocabulary, &t.vocabulary); err != nil {
		return nil, fmt.Errorf("decode the vocabulary of %s: %w", path, err)
	}
	if len(t.vocabulary) == 0 {
		return nil, errors.New(path + " has no vocabulary")
	}
	delete(t.vocabulary, file.Model.Unknown) // what is no token counts nothing
	if t.maxWord <= 0 {
		t.maxWord = maxWord
	}
	t.accents = true
	if n := file.Normalizer; n != nil {
		t.lower = n.Lower == nil || *n.Lower
		t.accents = n.Strip != nil && !*n.Strip || n.Strip == nil && !t.lower
		t.chinese = n.Chinese == nil || *n.Chinese
	}
	return t, nil
}

// tokens appends the numbers of the tokens of a text to list, at most so many in all. Words
// that have no tokens are left out.
func (t *tokenizer) tokens(list []int, text string, most int) []int {
	start, text := 0, t.normal(text)
	flush := func(end int) {
		if start < end && len(list) < most {
			list = t.pieces(list, text[start:end])
		}
	}
	for i, r := range text {
		alone := t.chinese && unicode.Is(unicode.Han, r) || punctuation(r)
		if !alone && !unicode.IsSpace(r) {
			continue
		}
		flush(i)
		start = i + len(string(r))
		if alone {
			list = t.pieces(list, string(r))
		}
	}
	flush(len(text))
	return list[:min(len(list), most)]
}

// normal returns a text without control characters, in lower case and without accents as the
// file says.
func (t *tokenizer) normal(text string) string {
	text = strings.ToValidUTF8(text, "")
	if !t.accents {
		text = norm.NFD.String(text)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar, unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		case !t.accents && unicode.Is(unicode.Mn, r):
			return -1
		case t.lower:
			return unicode.ToLower(r)
		}
		return r
	}, text)
}

// punctuation reports a character that is a word of its own: all of ASCII but letters, digits
// and space, and what Unicode calls punctuation.
func punctuation(r rune) bool {
	if r < 0x80 {
		return r > ' ' && r < 0x7f && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return unicode.IsPunct(r)
}

// pieces appends the tokens of a word: none when a part of it is no token.
func (t *tokenizer) pieces(list []int, word string) []int {
	if len([]rune(word)) > t.maxWord {
		return list
	}
	before := len(list)
	for at := 0; at < len(word); {
		n, size := t.longest(word[at:], at > 0)
		if size == 0 {
			return list[:before]
		}
		list = append(list, n)
		at += size
	}
	return list
}

// longest returns the token that is the longest beginning of s, and its bytes in s.
func (t *tokenizer) longest(s string, within bool) (n, size int) {
	for size = len(s); size > 0; size-- {
		if size < len(s) && s[size]&0xC0 == 0x80 {
			continue // within a character
		}
		key := s[:size]
		if within {
			key = t.rest + key
		}
		if n, known := t.vocabulary[key]; known {
			return n, size
		}
	}
	return 0, 0
}
