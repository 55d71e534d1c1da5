import Testing

/// Ordinary Core Data and MagicalRecord code, as applications have it: Xcode's templates, the common patterns of a
/// stack, a singleton, an import operation, nested contexts, threading and migration. Each file imports Foundation and
/// CoreData together; all of it would compile on Apple's platforms as it stands.
@Suite struct SourceCompatibility {}
