// Package static embeds texts by a matrix in a file, in this process: a row for each token
// of a vocabulary, and a text is the mean of the rows of its tokens. Such models are published
// as a folder of model.safetensors, the matrix, and tokenizer.json, the vocabulary; they are
// made from models that read whole sentences, and are some hundred times as fast and nearly as
// good at telling what is about the same.
//
// The matrix stays in its file: the rows of a text are read when they are needed, from the
// pages that the system keeps.
package static
