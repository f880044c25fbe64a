"""One digest of the app's behaviour, to prove that a refactoring changed none of it.

`example` and `collection` fill throw-away databases (`scenarios`, each in a process of its own: `throwaway`,
`populate`) and read them (`stored`). `labelled` judges pairs of labelled texts without a database. All of them make
`records`: sections of named records. `changes` compares the records of two versions.
"""
