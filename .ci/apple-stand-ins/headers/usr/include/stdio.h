// Minimal stand-in.
#pragma once
typedef struct __sFILE FILE;
extern FILE *_Nonnull stderr;
int printf(const char *_Nonnull, ...) __attribute__((format(printf, 1, 2)));
int fprintf(FILE *_Nonnull, const char *_Nonnull, ...) __attribute__((format(printf, 2, 3)));
