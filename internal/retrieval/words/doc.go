// Package words cuts text into the words by which it is found, in one way for all languages.
// A word is a run of letters, digits and marks, in lower case and without accents. Chinese and
// Japanese are cut by one and two characters, Thai, Lao, Khmer and Burmese by three, since they
// write no spaces. What programs and catalogues join (kg-data, max_jobs, example.com, maxJobs)
// counts as a whole and by its parts. Cutting takes time in proportion to the text, whatever it
// holds, and depends on nothing else, so that a question and a passage always meet.
package words
