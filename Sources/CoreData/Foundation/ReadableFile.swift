import CoreDataStoreFiles

/// A file that a program gives MagicalRecord to read, which may be a store that is open.
package typealias ReadableFile = CoreDataStoreFiles.ReadableFile
