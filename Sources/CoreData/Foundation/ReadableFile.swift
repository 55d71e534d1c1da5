import CoreDataStoreFiles

/// A file that a program passes to MagicalRecord to be read; may be an open store.
package typealias ReadableFile = CoreDataStoreFiles.ReadableFile
