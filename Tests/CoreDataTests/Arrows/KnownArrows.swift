/// See ``ArrowTests``. A change that ends an arrow deletes it here.
enum KnownArrows {
    static let graphToSQLite = """
        Migration/InPlace/ConversionCheck.swift SQLiteConnection
        Migration/InPlace/ForeignIndexes.swift SQLiteConnection
        Migration/InPlace/ForeignTables.swift ActualSchema
        Migration/InPlace/ForeignTables.swift SQLiteConnection
        Migration/InPlace/ForeignTriggers.swift SQLiteConnection
        Migration/InPlace/HazardCheck.swift CellColumns
        Migration/InPlace/HistoryMigration.swift HistoryColumns
        Migration/InPlace/HistoryMigration.swift HistoryTables
        Migration/InPlace/HistoryMigration.swift SQLiteConnection
        Migration/InPlace/InPlaceMigration.swift ConnectionSettings
        Migration/InPlace/InPlaceMigration.swift SQLiteConnection
        Migration/InPlace/InPlaceSession.swift ActualSchema
        Migration/InPlace/InPlaceSession.swift DerivedTriggers
        Migration/InPlace/InPlaceSession.swift EntityNumbering
        Migration/InPlace/InPlaceSession.swift ModelCache
        Migration/InPlace/InPlaceSession.swift SQLSchema
        Migration/InPlace/InPlaceSession.swift SQLValue
        Migration/InPlace/InPlaceSession.swift SQLiteConnection
        Migration/InPlace/InPlaceSession.swift SQLiteFailure
        Migration/InPlace/InPlaceSession.swift SQLiteMetadata
        Migration/InPlace/InPlaceSession.swift StoreFile
        Migration/InPlace/IndexMigration.swift SQLSchema
        Migration/InPlace/JoinMigration.swift JoinTable
        Migration/InPlace/LinkSource.swift SQLSchema
        Migration/InPlace/LinkSource.swift ToManyColumns
        Migration/InPlace/LinkTransfers.swift JoinTable
        Migration/InPlace/LinkTransfers.swift SQLSchema
        Migration/InPlace/LinkTransfers.swift SQLiteConnection
        Migration/InPlace/RelationshipLinks.swift SQLSchema
        Migration/InPlace/Savepoint.swift SQLiteConnection
        Migration/InPlace/SourceCheck.swift SQLiteConnection
        Migration/InPlace/TableMigration.swift SQLSchema
        Migration/InPlace/TableMigration.swift SQLValue
        Model/NSManagedObjectModel+Stored.swift ModelCache
        Stores/SQLite/SQLiteStore.swift ConnectionPool
        Stores/SQLite/SQLiteStore.swift ConnectionSettings
        Stores/SQLite/SQLiteStore.swift SQLiteEngine
        Stores/SQLite/SQLiteStore.swift SQLiteFiles
        Stores/SQLite/SQLiteStore.swift SQLiteMetadata
        Stores/SQLite/SQLiteStore.swift SQLiteOpening
        Stores/SQLite/SQLiteStore.swift StoreFile
        Stores/SQLite/SQLiteStore.swift StoreHold
        Stores/SQLite/SQLiteStore.swift StoreWatcher
        """
}
