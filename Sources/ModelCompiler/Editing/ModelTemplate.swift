/// The documents that `modelc new` writes.
enum ModelTemplate {
    /// A model without entities.
    static let empty = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
        </model>
        """

    /// A model with every kind of entity and property, each explained by a comment.
    static let complete = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
            <!-- Every kind of entity and property. Delete what the program does not need. Xcode drops comments when it saves. -->

            <!-- An abstract entity has no objects. Entities with parentEntity="Item" inherit its properties.
                 representedClassName: the class, or NSManagedObject. ".Item" is the class of the module that is built.
                 codeGenerationType: "class" generates the class, "category" its properties; without it both are hand-written. -->
            <entity name="Item" representedClassName="Item" isAbstract="YES" syncable="YES" codeGenerationType="class">
                <!-- optional="YES" permits nil. A required attribute needs a default value, or must be set before saving. -->
                <attribute name="itemID" attributeType="Integer 64" defaultValueString="0" usesScalarValueType="YES"/>
                <!-- For texts minValueString and maxValueString are lengths. A regular expression matches the whole text. -->
                <attribute name="title" attributeType="String" minValueString="1" maxValueString="200" regularExpressionString="\\S.*" defaultValueString="Untitled"/>
                <!-- Fetches that filter or sort by title, then itemID, use the index. -->
                <fetchIndex name="byTitleAndItemID">
                    <fetchIndexElement property="title" type="Binary" order="ascending"/>
                    <fetchIndexElement property="itemID" type="Binary" order="descending"/>
                </fetchIndex>
                <!-- No two objects have the same itemID. Several <constraint> elements are unique together. -->
                <uniquenessConstraints>
                    <uniquenessConstraint>
                        <constraint value="itemID"/>
                    </uniquenessConstraint>
                </uniquenessConstraints>
                <!-- Imports of MagicalRecord find the object of a record by this attribute. -->
                <userInfo>
                    <entry key="relatedByAttribute" value="itemID"/>
                </userInfo>
            </entity>

            <entity name="Album" representedClassName="Album" parentEntity="Item" syncable="YES" codeGenerationType="class">
                <!-- A composite attribute: values of the elements of <composite name="Place">, below. -->
                <attribute name="birthplace" optional="YES" attributeType="Composite" composite="Place"/>
                <!-- Large values are stored in files beside the store. -->
                <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                <!-- Any class that the value transformer archives. customClassName: the type in Swift. -->
                <attribute name="genres" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData" customClassName="[String]"/>
                <!-- A number with limits. usesScalarValueType="YES" generates Int16, which cannot be nil. -->
                <attribute name="rating" attributeType="Integer 16" minValueString="0" maxValueString="5" defaultValueString="0" usesScalarValueType="YES"/>
                <!-- Dates count seconds since 2001-01-01 00:00 UTC; the earliest one here is 1900-01-01. -->
                <attribute name="releasedAt" optional="YES" attributeType="Date" minDateTimeInterval="-3187296000" usesScalarValueType="NO"/>
                <!-- Derived attributes are computed when the object is saved: by a function, or an aggregate of a relationship. -->
                <attribute name="searchTitle" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(title)"/>
                <attribute name="trackCount" attributeType="Integer 64" defaultValueString="0" derived="YES" derivationExpression="tracks.@count" usesScalarValueType="NO"/>
                <!-- To many, ordered: an NSOrderedSet. Deleting an album deletes its tracks. -->
                <relationship name="tracks" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES" destinationEntity="Track" inverseName="album" inverseEntity="Track"/>
                <!-- A fetched property reads the result of a fetch request. $FETCH_SOURCE is the object. -->
                <fetchedProperty name="favorites" optional="YES">
                    <fetchRequest name="fetchedPropertyFetchRequest" entity="Track" predicateString="album == $FETCH_SOURCE AND isFavorite == 1"/>
                </fetchedProperty>
            </entity>

            <entity name="Track" representedClassName="Track" parentEntity="Item" syncable="YES" codeGenerationType="class">
                <attribute name="discNumber" attributeType="Integer 32" defaultValueString="1" usesScalarValueType="YES"/>
                <!-- Double, in seconds, and Float. -->
                <attribute name="duration" attributeType="Double" minValueString="0.0" defaultValueString="0.0" usesScalarValueType="YES"/>
                <attribute name="gain" attributeType="Float" defaultValueString="1.0" usesScalarValueType="YES"/>
                <!-- YES and NO are the values of a Boolean. -->
                <attribute name="isFavorite" attributeType="Boolean" defaultValueString="NO" usesScalarValueType="YES"/>
                <!-- A transient attribute is not stored. -->
                <attribute name="isPlaying" transient="YES" attributeType="Boolean" defaultValueString="NO" usesScalarValueType="YES"/>
                <attribute name="link" optional="YES" attributeType="URI"/>
                <!-- elementID: the name in the previous version, so that migration keeps the values. -->
                <attribute name="lyrics" optional="YES" attributeType="String" elementID="text"/>
                <!-- A default date: 2001-01-01. Imports read the value under the key played_at. -->
                <attribute name="playedAt" attributeType="Date" defaultDateTimeInterval="0" usesScalarValueType="NO">
                    <userInfo>
                        <entry key="dateFormat" value="yyyy-MM-dd"/>
                        <entry key="mappedKeyName" value="played_at"/>
                    </userInfo>
                </attribute>
                <attribute name="price" optional="YES" attributeType="Decimal" minValueString="0" defaultValueString="0.99"/>
                <attribute name="recordingID" optional="YES" attributeType="UUID" usesScalarValueType="NO"/>
                <!-- To one. Every relationship has an inverse; deleting a track removes it from the album. -->
                <relationship name="album" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Album" inverseName="tracks" inverseEntity="Album"/>
                <!-- Many to many, with 1 to 10 objects. The rules are Nullify, Cascade, Deny and No Action. -->
                <relationship name="tags" optional="YES" toMany="YES" minCount="1" maxCount="10" deletionRule="Nullify" destinationEntity="Tag" inverseName="tracks" inverseEntity="Tag"/>
                <fetchIndex name="byIsFavorite">
                    <fetchIndexElement property="isFavorite" type="Binary" order="ascending"/>
                </fetchIndex>
            </entity>

            <!-- elementID: the entity was named Label in the previous version. -->
            <entity name="Tag" representedClassName="Tag" elementID="Label" syncable="YES" codeGenerationType="class">
                <attribute name="name" attributeType="String" defaultValueString=""/>
                <relationship name="tracks" optional="YES" toMany="YES" deletionRule="Deny" destinationEntity="Track" inverseName="tags" inverseEntity="Track"/>
                <uniquenessConstraints>
                    <uniquenessConstraint>
                        <constraint value="name"/>
                    </uniquenessConstraint>
                </uniquenessConstraints>
            </entity>

            <!-- The type of composite attributes. -->
            <composite name="Place">
                <attribute name="city" optional="YES" attributeType="String"/>
                <attribute name="latitude" optional="YES" attributeType="Double" usesScalarValueType="NO"/>
                <attribute name="longitude" optional="YES" attributeType="Double" usesScalarValueType="NO"/>
            </composite>

            <!-- A fetch request by name, with a variable. -->
            <fetchRequest name="TracksByTitle" entity="Track" predicateString="title BEGINSWITH[c] $PREFIX" fetchLimit="50"/>

            <!-- A configuration: the entities that one store of several holds. -->
            <configuration name="Library">
                <memberEntity name="Item"/>
                <memberEntity name="Album"/>
                <memberEntity name="Track"/>
                <memberEntity name="Tag"/>
            </configuration>
        </model>
        """
}
