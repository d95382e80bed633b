// Package llm calls the models that are behind an API: it has them read passages and
// embed texts.
//
// Three wire formats are spoken: that of OpenAI, which many other servers speak too,
// that of Anthropic, and the native one of Ollama. They are written here on net/http and
// not with the vendors' libraries: five requests are needed in all, and the libraries
// would retry by themselves, while here the Governor decides for the whole installation
// when a call may be made; would show what a server answered in their errors, where a
// key may be; and do not speak to Ollama's own API, without which its context cannot be
// set.
//
// What a caller may rely on: answers are streamed, and the end of a context ends the
// call; no answer is read beyond a limit, no call takes longer than ten minutes, nor
// stays silent for longer than two; no error shows a key. An error that kappa.Postponed
// knows says that the provider is away, which is no fault of what was to be read. Any
// other one, apart from that of the context, is about this passage alone.
package llm
