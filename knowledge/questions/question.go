package questions

import "strings"

// FillerWord reports English words, in lower case, that ask, point or join, and name
// nothing.
func FillerWord(word string) bool {
	switch strings.Trim(word, "-_.'’/") {
	case "", "a", "about", "all", "am", "among", "an", "and", "any", "are", "as", "at", "be", "been", "being", "between",
		"but", "by", "can", "could", "did", "do", "does", "each", "explain", "find", "for", "from", "get", "give", "had",
		"happen", "happens", "has", "have", "he", "her", "his", "how", "i", "if", "in", "into", "is", "it", "its", "many",
		"may", "me", "mean", "means", "meant", "might", "more", "most", "much", "must", "my", "no", "not", "of", "on",
		"or", "our", "over", "please", "she", "should", "show", "so", "some", "such", "tell", "than", "that",
		"the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "under", "until", "us", "was",
		"we", "were", "what", "what's", "when", "where", "which", "while", "who", "whom", "whose", "why", "will",
		"with", "within", "without", "would", "you", "your":
		return true
	}
	return false
}
